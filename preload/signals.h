/*
 * SIGTRAP, SIGSEGV, SIGBUS and SIGPROF, shared with the program: the shim's handler stands in the kernel, the program's
 * own disposition (set through sigaction, signal and their kin, which are interposed) is remembered, reported back and
 * served as if the shim were not there: same siginfo, mask, flags, alternate stack, default action, core dump.
 * A program that calls rt_sigaction as a raw system call replaces the shim's handler; that is not seen.
 */
#ifndef PIEPROF_PRELOAD_SIGNALS_H
#define PIEPROF_PRELOAD_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* Installs the handlers. Constructor; not signal-safe. */
bool signals_start(void);
/* SIGPROF is taken only where the timer trigger is used. Constructor; not signal-safe. */
bool signals_take_sigprof(void);

/* Does the calling thread block a signal that samples come by? Signal-safe. */
bool signals_sampling_blocked(void);
/* The same of SIGSEGV and SIGBUS: a guarded read that faults would kill. */
bool signals_faults_blocked(void);

/*
 * Handlers do not survive exec, an ignored signal does: called before exec, ignores in the kernel what the program
 * ignores and stops the thread's clock; called when exec failed, puts both back. Both are right in a vfork child, and
 * signal-safe. SIGTRAP and SIGPROF stay handled while other threads are sampled.
 */
void signals_before_exec(void);
void signals_after_failed_exec(void);

/* Takes a sample at `context` (a ucontext_t), for a trigger whose signal somebody else's handler received. Signal-safe. */
void signals_sample(void *context);

/* Cookies in perf_event_attr.sig_data / sigev_value that tell the shim's events from the program's. */
#define SIGNALS_COOKIE_CLOCK UINT64_C(0x5069655072430001)
#define SIGNALS_COOKIE_WATCH UINT64_C(0x5069655072430002)
#define SIGNALS_COOKIE_ALARM UINT64_C(0x5069655072430003)
#define SIGNALS_COOKIE_TIMER 0x50696554

#endif
