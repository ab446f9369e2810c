/* The shim's private memory: anonymous mappings, counted in db_process.shim_memory_bytes, never malloc. */
#ifndef PIEPROF_PRELOAD_MEMORY_H
#define PIEPROF_PRELOAD_MEMORY_H

#include <stddef.h>

/* Zeroed pages of at least `bytes`, or NULL. System call only; outside handlers. Reserved lazily by the kernel. */
void *memory_map(size_t bytes);
void memory_unmap(void *start, size_t bytes);

/* Makes the pages read zero again and gives them back to the kernel (for tables a forked child must forget). */
void memory_forget(void *start, size_t bytes);

#endif
