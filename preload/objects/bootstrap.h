/*
 * Memory for allocations made before the real allocator is known: dlsym() itself, libraries that start before us. A
 * static arena, never given back; frees of it are ignored.
 */
#ifndef PIEPROF_PRELOAD_BOOTSTRAP_H
#define PIEPROF_PRELOAD_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed, or NULL when the arena is used up. */
void *bootstrap_allocate(size_t bytes, size_t alignment);
bool bootstrap_owns(const void *block);
/* The bytes that may be read from `block` on, an upper bound of what was asked for. */
size_t bootstrap_readable(const void *block);

#endif
