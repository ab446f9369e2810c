/*
 * Counters that several threads share, without the bus lock while there is one thread: at a birth of an object nothing else
 * takes as long. glibc knows (sys/single_threaded.h, from 2.32 on; weak, for it may be older): it turns false before a
 * second thread runs. For counters that no signal handler changes.
 */
#ifndef PIEPROF_PRELOAD_ALONE_H
#define PIEPROF_PRELOAD_ALONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern char __libc_single_threaded __attribute__((weak)); /* NOLINT(bugprone-reserved-identifier): glibc's own name */

static inline bool is_alone(void)
{
    return &__libc_single_threaded != NULL && __libc_single_threaded != 0;
}

/* One more; the new count. */
static inline uint64_t count_next(uint64_t *counter)
{
    if (!is_alone()) {
        return __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
    }
    uint64_t count = __atomic_load_n(counter, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(counter, count, __ATOMIC_RELAXED);
    return count;
}

/* Adds; the new sum. */
static inline int64_t count_add(int64_t *counter, int64_t amount)
{
    if (!is_alone()) {
        return __atomic_add_fetch(counter, amount, __ATOMIC_RELAXED);
    }
    int64_t sum = __atomic_load_n(counter, __ATOMIC_RELAXED) + amount;
    __atomic_store_n(counter, sum, __ATOMIC_RELAXED);
    return sum;
}

#endif
