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
};

/* Chooses: PAPI overflow if asked for and possible, the perf task clock, the POSIX CPU timer. NULL: none works. */
const struct trigger *trigger_choose(void);
extern const struct trigger *trigger_current;

#endif
