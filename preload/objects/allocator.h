/* Do the program's allocations come to this shim's hooks first? */
#ifndef PIEPROF_PRELOAD_ALLOCATOR_H
#define PIEPROF_PRELOAD_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * False when another malloc comes before the shim's: an allocator serves all by itself, and one that only wraps the next hides
 * who allocates. `why` then names it, with the remedy. Constructor.
 */
bool allocator_is_seen(char *why, size_t capacity);

/* Has the allocator whose malloc this is a malloc_usable_size() of its own? Another's, asked of its blocks, would
 * crash; one that only passes libc's blocks on needs none. Constructor. */
bool allocator_tells_sizes(void *(*real_malloc)(size_t));

#endif
