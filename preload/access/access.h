/* The access engine: from a sample to the next access, from there to the following one, and the verdict. */
#ifndef PIEPROF_PRELOAD_ACCESS_H
#define PIEPROF_PRELOAD_ACCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

struct thread;

/* Probes and calibrates. False and the reason (with its remedy) when the engine cannot run here. Constructor only. */
bool access_start(char *why_off, size_t bytes);

/* Outside handlers. A thread other than the main one gets its registers at a second call, which its first sample asks
 * for (CHORE_THREAD). */
bool access_thread_begin(struct thread *thread);
void access_thread_end(struct thread *thread);    /* open watches are counted WATCH_OPEN */
void access_thread_forget(struct thread *thread); /* forked child: close, never ioctl */

/*
 * A sample in native code at `uc`, its context captured in thread->scratch, standing for `weight_ns` of CPU time.
 * True when the attempt counts as `native` in health. Signal-safe.
 */
bool access_sample(struct thread *thread, ucontext_t *uc, uint64_t weight_ns);

/*
 * At each tick of the clock, before the sample's time is taken: ends watches that have waited too long and searches that wait
 * in vain, and sees what armed registers slow down. Signal-safe.
 */
void access_tick(struct thread *thread, const ucontext_t *uc);

/*
 * At one that comes late: only disarms the return slot of a call that has ended. The kernel writes each signal's frame on it, and
 * a debug exception in the kernel takes 100 us in a virtual machine. Signal-safe.
 */
void access_tick_late(struct thread *thread, const ucontext_t *uc);

/*
 * The calling thread's allocator has zeroed a block that is `object` from now on: a watch that was armed at one of these stores,
 * before there was an object, is the object's. Behind the gate, outside handlers.
 */
struct object;
void access_adopt(const struct object *object);

/* A SIGTRAP with SIGNALS_COOKIE_ALARM: one of them has. Signal-safe. */
void access_alarm(struct thread *thread);

/* A SIGTRAP with SIGNALS_COOKIE_WATCH; `asynchronous` = TRAP_PERF_FLAG_ASYNC. Signal-safe. */
void access_trap(struct thread *thread, ucontext_t *uc, bool asynchronous);

/*
 * At a SIGTRAP of another event: SIGTRAP does not queue, so one of a watch that was hit while this one was pending is lost, and
 * `uc` is where it would have come. Signal-safe.
 */
void access_catch_up(struct thread *thread, ucontext_t *uc, bool asynchronous);

/*
 * A trap that the gate refused: the shim's own access is none, and the watch goes on. But one that is asynchronous came while
 * SIGTRAP was blocked, which is in a handler of the shim: its frames lie where those of a call did that has ended, or it calls
 * what the program called. The next handler would hit it again, and the program never go on: such a register is stopped, and
 * what it was for ends at the next trap that is let in. Signal-safe.
 */
void access_trap_ignored(struct thread *thread, bool asynchronous);

#endif
