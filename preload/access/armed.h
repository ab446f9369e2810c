/*
 * How long a thread has run with a debug register armed, and what such time slows down without any handler seeing it.
 * governor.h prices it.
 */
#ifndef PIEPROF_PRELOAD_ACCESS_ARMED_H
#define PIEPROF_PRELOAD_ACCESS_ARMED_H

#include <stdbool.h>
#include <stdint.h>

struct armed_time {
    uint64_t ns;        /* the thread's CPU time, user and system */
    uint64_t kernel_ns; /* of it in the kernel, as the kernel's clock tick saw it: true in the sum, not for a moment */
    uint64_t faults;    /* page faults without input or output: each clears a page, small or huge */
    uint64_t other_kernel_ns,
        other_faults; /* the same of the thread's time without: from its start, or the last call, on */
};

/* A register of the calling thread was armed, or disarmed. Signal-safe. */
void armed_more(void);
void armed_less(void);
/* True while any register of the calling thread is armed. Signal-safe. */
bool armed_now(void);
/* What the calling thread has run with any register armed, since that was last asked. Signal-safe. */
struct armed_time armed_take(void);
/* The thread has no registers any more; a forked child's are forgotten, not disarmed. */
void armed_forget(void);

#endif
