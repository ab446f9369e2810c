/* System calls that a signal of the program's must cut short though one of the shim's came first. */
#ifndef PIEPROF_PRELOAD_INTERRUPTED_CALL_H
#define PIEPROF_PRELOAD_INTERRUPTED_CALL_H

#include <ucontext.h>

/*
 * `uc`: where the program goes on after a handler of the shim's, in which all signals are blocked. A handler without SA_RESTART makes
 * the call that it comes in fail with EINTR (signal(7)); but of two signals that are delivered together the kernel asks the first alone, and
 * a tick is first. So the call would start again behind both, and an alarm that was to end a read() would not. Where a signal waits
 * whose handler wants the call cut short it is. Signal-safe; behind the gate, with faults open.
 */
void interrupted_call_end(ucontext_t *uc);

#endif
