/*
 * May perf events send SIGTRAP here (attr.sigtrap)? Decided once by behaviour, not by version: on kernels before 5.18
 * an event that fires while SIGTRAP is blocked kills the process, and nobody can keep SIGTRAP open (glibc blocks every
 * signal inside pthread_create, fork and spawn). Shared by the clock trigger and the access engine.
 */
#ifndef PIEPROF_PRELOAD_SIGTRAP_PROBE_H
#define PIEPROF_PRELOAD_SIGTRAP_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True when this process may use attr.sigtrap with a software clock: perf_event_open is permitted, no debugger is
 * attached, and a trap that fires while SIGTRAP is blocked stays pending and does not kill (tried in a child that sends
 * no SIGCHLD). Otherwise false, and one clause with the remedy in `why_not` (may be NULL with bytes 0).
 * The first call takes about a millisecond, at most one second; the answer is kept and inherited by forked children.
 * Whether data breakpoints work is another question: open one. First call from the constructor; not signal-safe.
 */
bool sigtrap_usable(char *why_not, size_t bytes);

#endif
