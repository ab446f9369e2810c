/*
 * Memory for allocations made before the real allocator is known: dlsym() itself, libraries that start before us. A
 * static arena, never given back; frees of it are ignored.
 */
#ifndef PIEPROF_PRELOAD_BOOTSTRAP_H
#define PIEPROF_PRELOAD_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOTSTRAP_BYTES 65536u
extern char bootstrap_arena[BOOTSTRAP_BYTES] __attribute__((visibility("hidden")));

/* Zeroed, or NULL when the arena is used up. */
void *bootstrap_allocate(size_t bytes, size_t alignment);
static inline bool bootstrap_owns(const void *block)
{
    return (uintptr_t)block - (uintptr_t)bootstrap_arena < BOOTSTRAP_BYTES;
}
/* The bytes that may be read from `block` on, an upper bound of what was asked for. */
size_t bootstrap_readable(const void *block);

#endif
