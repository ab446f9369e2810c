/* What interrupts a thread to take a sample: a row of functions each, chosen once by the first that can run here. */
#ifndef PIEPROF_PRELOAD_TRIGGER_H
#define PIEPROF_PRELOAD_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

struct thread;

struct trigger {
    const char *name;
    bool synchronous_kernel_time; /* false: samples in the kernel are lost, weight them by the CPU clock */
    bool (*probe)(char *why_not, size_t bytes); /* can it run here? outside handlers */
    bool (*thread_begin)(struct thread *thread);
    void (*thread_end)(struct thread *thread);
    void (*thread_forget)(struct thread *thread); /* forked child: close, never ioctl */
    /*
     * At the first tick since thread_begin(), which came thread->first_tick_ns later: lets the others follow a period
     * apart. Result: what a whole period lacks since then, in ns (modulo 2^64). Signal-safe. NULL: no tick is early.
     */
    uint64_t (*first_tick)(struct thread *thread);
    /* Lets ticks follow `period_ns` apart from now on; false when refused. Signal-safe. NULL: the pace is fixed. */
    bool (*set_period)(struct thread *thread, uint64_t period_ns);
};

/* Chooses: PAPI overflow if asked for and possible, the perf task clock, the POSIX CPU timer. NULL: none works. */
const struct trigger *trigger_choose(void);
extern const struct trigger *trigger_current;

/* CPU time between two ticks of a thread's clock. */
uint64_t trigger_period_ns(void);
/*
 * When a clock that starts now shall tick first: at random in (0, period]. With a whole period charged to that tick, a thread
 * that ends before its second one, or its first, is told right in the mean. System calls only.
 */
uint64_t trigger_draw_first_ns(void);

/*
 * How long after `now_ns` (CPU time of the thread) the next tick shall follow: at random between 3/4 and 5/4 of `percent` of the
 * period, for ticks that are equally far apart meet a program whose steps take equally long at the same few places again and again,
 * and its samples say less than their number. What this one was late by - its interrupt, a system call, a trap that it found
 * going on, a tick that was lost - the next ones make up for, a quarter of their periods each, so that there are as many as
 * were asked for; a clock that stays behind is left so. `due_ns`: when the tick that is here was due, 0 where nobody knows;
 * then when the next one is. Signal-safe.
 */
uint64_t trigger_next_ns(uint64_t *due_ns, uint64_t now_ns, unsigned percent);

#endif
