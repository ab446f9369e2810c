/* One thread of the program as the shim knows it: set up when it starts, torn down when it ends. */
#ifndef PIEPROF_PRELOAD_THREAD_H
#define PIEPROF_PRELOAD_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "gate.h"
#include "launch/launch.h"
#include "stack/context.h"

struct access_thread;   /* access/access.h */
struct call_stack;      /* objects/call_stack.h */
struct counters_thread; /* time/counters.h */

struct thread {
    pid_t tid;
    bool main;
    atomic_bool in_use;
    bool paused;
    bool imports;           /* at its last sample: below the machinery of imports */
    unsigned pace;          /* how far apart its clock ticks, in percent of the period; a fixed clock's ticks */
    unsigned late_ticks;    /* in a row, up to now */
    unsigned samples;       /* taken on it */
    uint32_t sample_node;   /* context of the last; 0: none was recorded */
    bool faults_blocked;    /* SIGSEGV or SIGBUS, by the program: guarded reads ask the kernel */
    bool fresh;             /* never paused, and its clock has not ticked yet */
    int clock_descriptor;   /* -1 when none; a clock may do without */
    void *clock_page;       /* mapped from it: keeps the clock going when the program closes what it does not know */
    void *timer;            /* of the fallback trigger, NULL when none */
    uint64_t cpu_ns;        /* CLOCK_THREAD_CPUTIME_ID up to which time has been charged, modulo 2^64 */
    uint64_t began_ns;      /* on that clock, where it was set up */
    uint64_t credit_ns;     /* charged by its first sample beyond what it had run */
    uint64_t weight_ns;     /* charged by its last sample */
    uint64_t due_ns;        /* on that clock: when the next tick is due; 0 = nobody knows */
    uint64_t first_tick_ns; /* the clock's first tick comes so long after its start; 0 once it came */
    struct access_thread *access;     /* NULL until the access engine prepared it */
    struct counters_thread *counters; /* NULL when PIEPROF_EVENTS counts nothing here */
    struct context_scratch *scratch;
    uint32_t serial;                /* of the thread that has this struct now */
    _Atomic uintptr_t python_state; /* at its last sample; 0: none */
    _Atomic uint64_t ticked_ns;     /* its last sample, on the process's clock (process_record->last_monotonic_ns) */
    struct launch launch;
    struct launch_service service;
    struct launch_origin origin;
    struct call_stack *objects; /* NULL until the thread made an object; kept for the next thread */
    struct thread *next_free;
};

/* NULL on threads that were not set up. */
extern SHIM_THREAD_LOCAL struct thread *thread_self;

/*
 * Sets up the calling thread: memory, watches, clock (last). Outside handlers, behind the gate. Nothing to do for one
 * that is set up. False: it is not sampled (counted THREAD_WITHOUT_CLOCK).
 */
bool thread_begin(bool main);
/* Stops its clock, closes its descriptors (only those still its own), keeps the memory for the next thread. */
void thread_end(void);
/*
 * In a forked child: forgets every thread, the caller too, closing inherited descriptors without touching the events.
 * The caller is set up again by thread_begin(true).
 */
void thread_reset_child(void);
/*
 * Stops and restarts the calling thread's clock and watches around a time when their signal is blocked: one left pending
 * would be seen by sigpending(2) and eaten by sigwait(3). Behind the gate; system calls only.
 */
void thread_pause(void);
void thread_resume(void);
/* How many threads are set up. */
unsigned thread_count(void);
/* The one after `thread` of those that are set up, the first after NULL; NULL at the end. Signal-safe. */
const struct thread *thread_next(const struct thread *thread);

/*
 * How long all other threads have run so far. Two equal answers mean that none of them ran between, nor one that is gone: what the
 * calling thread saw in memory meanwhile was its own doing. False where that cannot be told: too many threads to ask, one without a
 * clock, or one that was ever left alone. Signal-safe; two short system calls a thread.
 */
#define THREAD_OTHERS_MAX 16u
struct thread_others {
    uint64_t ran_ns;
    uint64_t begun;   /* threads that were set up so far */
    uint32_t threads; /* now */
};
bool thread_others_equal(const struct thread_others *a, const struct thread_others *b);
bool thread_others_ran(struct thread_others *others);
/* CHORE_THREAD: what the calling thread still lacks. */
void thread_prepare(void);

/* Opens a perf event for the calling thread at descriptor 100 or above, close-on-exec; -1 and errno on failure. */
struct perf_event_attr;
int thread_open_event(struct perf_event_attr *attr);
/* A clock of the thread's CPU time in user mode that raises SIGTRAP with `cookie` every `period_ns`; not enabled yet. */
void thread_clock_attributes(struct perf_event_attr *attr, uint64_t period_ns, uint64_t cookie);
/* Are so many open that an event which can do without its descriptor should? A system call. */
bool thread_events_are_many(void);
/* New events get numbers far up from now on: a program that closes what it does not know will use the numbers itself. */
void thread_events_move_up(void);
/*
 * Is the descriptor still the event that thread_open_event() gave? Programs close what they do not know and get the number
 * again for a file or socket of theirs: ask before each read() or close(). One system call, changes nothing. Signal-safe.
 */
bool thread_event_is_ours(int descriptor);
/* Disables the event first, for a forked child may hold it open: only in the process that opened it. Signal-safe. */
void thread_stop_event(int descriptor);
/* Closes a descriptor only when it still is the event it was. Signal-safe. */
void thread_close_event(int descriptor);

#endif
