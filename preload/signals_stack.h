/*
 * Handlers of the program that run on an alternate stack. It may be as small as the frame of one signal and a bit (SIGSTKSZ was
 * 8192 for decades; a frame with AVX-512 state takes 3.4 KiB): a tick on top would overwrite what lies below, or the kernel
 * would kill the process. So the sampling signals wait while such a handler runs, and the program is not shown that.
 */
#ifndef PIEPROF_PRELOAD_SIGNALS_STACK_H
#define PIEPROF_PRELOAD_SIGNALS_STACK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "gate.h"

/* sigaction(2) for a signal that the shim has not taken. 0, or -1 and errno. Signal-safe once called. */
int signals_stack_set(int signal_number, const struct sigaction *action, struct sigaction *old);

/* The sampling signals where `action` asks for the alternate stack, else none. Signal-safe. */
uint64_t signals_stack_mask(const struct sigaction *action);

/*
 * The sampling signals that are blocked in earnest while the shim runs one of the program's handlers itself; the caller puts back what
 * was there before. Signal-safe.
 */
extern SHIM_THREAD_LOCAL uint64_t signals_stack_blocked;

/* Takes out of `old`, a mask that the kernel reported to the program, what waits only because of the above. Signal-safe. */
void signals_stack_hide(sigset_t *old);

/* Does the caller, a handler, run on an alternate stack with too little room for a sample? Signal-safe. */
bool signals_stack_is_cramped(const ucontext_t *uc);

#endif
