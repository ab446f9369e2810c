/* Allocation for a command-line program: it succeeds or the program says so and ends with status 2. */
#ifndef PIEPROF_ANALYZER_MEMORY_H
#define PIEPROF_ANALYZER_MEMORY_H

#include <stddef.h>

/* Zeroed memory for `count` items of `size_bytes`; never NULL (also for a count of 0). Free with free(). */
void *memory_zeroed(size_t count, size_t size_bytes);

/* Makes room for one item more in a growing array: doubles `*capacity` when `count` has reached it. */
void *memory_grow(void *items, size_t count, size_t *capacity, size_t size_bytes);

/* printf into fresh memory; never NULL. Free with free(). */
char *memory_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
