/* One thread of the program as the shim knows it: set up when it starts, torn down when it ends. */
#ifndef PIEPROF_PRELOAD_THREAD_H
#define PIEPROF_PRELOAD_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "gate.h"
#include "stack/context.h"

struct access_thread; /* access/access.h */

struct thread {
    pid_t tid;
    bool main;
    int clock_descriptor;     /* -1 when none */
    void *timer;              /* timer_t of the fallback trigger */
    uint64_t cpu_ns;          /* CLOCK_THREAD_CPUTIME_ID at the last sample */
    struct access_thread *access; /* NULL until the access engine prepared it */
    struct context_scratch *scratch;
    struct thread *next_free;
};

/* NULL on threads that were not set up. */
extern SHIM_THREAD_LOCAL struct thread *thread_self;

/* Sets up the calling thread: memory, clock, watches. Outside handlers; system calls only. False: it is not sampled. */
bool thread_begin(bool main);
/* Stops its clock, closes its descriptors (only those still its own), gives the memory back. */
void thread_end(void);
/* In a forked child: forgets every thread but the caller, closing inherited descriptors without touching the events. */
void thread_reset_child(void);
/* CHORE_THREAD. */
void thread_prepare(void);

/* Opens a perf event for the calling thread at descriptor 100 or above, close-on-exec; -1 and errno on failure. */
struct perf_event_attr;
int thread_open_event(struct perf_event_attr *attr);
/* Closes a descriptor only when it still is the event it was. */
void thread_close_event(int descriptor);

#endif
