/*
 * sigaction(2) and its kin: for the signals that the shim has taken the program's wish is written to the book in
 * signals_program.c, all others go to libc (signals_stack.c). This holds whatever the gate says, for the shim's handlers stay in
 * the kernel after recording has ended. Not interposed, for they install no handler: sigwait, signalfd, sigprocmask.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "chores.h"
#include "gate.h"
#include "real.h"
#include "signals_program.h"
#include "signals_stack.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* programs use them still */

typedef void (*handler_function)(int);

/* Not declared by <signal.h> under the usual feature macros, exported by glibc all the same. */
handler_function bsd_signal(int signal_number, handler_function handler);
handler_function sysv_signal(int signal_number, handler_function handler);
handler_function __sysv_signal(int signal_number, handler_function handler);
int __sigaction(int signal_number, const struct sigaction *action, struct sigaction *old);

static _Atomic uint64_t interrupting; /* signals that siginterrupt(3) told signal(3) to install without SA_RESTART */

static uint64_t bit_of(int signal_number)
{
    return UINT64_C(1) << (signal_number - 1);
}

/* The first call of a forked child may be one of these. */
static void pass_gate(void)
{
    if (gate_enter()) {
        chores_poll();
        gate_leave();
    }
}

static handler_function handler_set(int signal_number, handler_function handler, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
    sigemptyset(&action.sa_mask);
    if ((flags & SA_NODEFER) == 0) {
        sigaddset(&action.sa_mask, signal_number);
    }
    return signals_program_set(signal_number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

INTERPOSED int sigaction(int signal_number, const struct sigaction *action, struct sigaction *old)
{
    pass_gate();
    return signals_taken(signal_number) ? signals_program_set(signal_number, action, old)
                                        : signals_stack_set(signal_number, action, old);
}

INTERPOSED int __sigaction(int signal_number, const struct sigaction *action, struct sigaction *old)
{
    return sigaction(signal_number, action, old);
}

INTERPOSED handler_function signal(int signal_number, handler_function handler)
{
    pass_gate();
    if (!signals_taken(signal_number)) {
        return REAL(signal)(signal_number, handler);
    }
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    return handler_set(signal_number, handler, (interrupting & bit_of(signal_number)) != 0 ? 0 : SA_RESTART);
}

INTERPOSED handler_function bsd_signal(int signal_number, handler_function handler)
{
    return signal(signal_number, handler);
}

INTERPOSED handler_function ssignal(int signal_number, handler_function handler)
{
    return signal(signal_number, handler);
}

INTERPOSED handler_function sysv_signal(int signal_number, handler_function handler)
{
    pass_gate();
    if (!signals_taken(signal_number)) {
        return REAL(sysv_signal)(signal_number, handler);
    }
    return handler_set(signal_number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

INTERPOSED handler_function __sysv_signal(int signal_number, handler_function handler)
{
    return sysv_signal(signal_number, handler);
}

/* As glibc's: returns SIG_HOLD when the signal was blocked, else the old handler, and leaves it unblocked. */
INTERPOSED handler_function sigset(int signal_number, handler_function handler)
{
    pass_gate();
    if (!signals_taken(signal_number)) {
        return REAL(sigset)(signal_number, handler);
    }
    sigset_t one, before;
    sigemptyset(&one);
    sigaddset(&one, signal_number);
    struct sigaction old;
    if (handler == SIG_HOLD) {
        sigprocmask(SIG_BLOCK, &one, &before);
        signals_program_get(signal_number, &old);
    } else {
        struct sigaction action = {.sa_handler = handler};
        if (signals_program_set(signal_number, &action, &old) != 0) {
            return SIG_ERR;
        }
        sigprocmask(SIG_UNBLOCK, &one, &before);
    }
    return sigismember(&before, signal_number) ? SIG_HOLD : old.sa_handler;
}

INTERPOSED int sigignore(int signal_number)
{
    pass_gate();
    if (!signals_taken(signal_number)) {
        return REAL(sigignore)(signal_number);
    }
    return signals_program_set(signal_number, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
}

INTERPOSED int siginterrupt(int signal_number, int interrupt)
{
    pass_gate();
    if (!signals_taken(signal_number)) {
        return REAL(siginterrupt)(signal_number, interrupt);
    }
    struct sigaction action;
    signals_program_get(signal_number, &action);
    if (interrupt) {
        atomic_fetch_or(&interrupting, bit_of(signal_number));
        action.sa_flags &= ~SA_RESTART;
    } else {
        atomic_fetch_and(&interrupting, ~bit_of(signal_number));
        action.sa_flags |= SA_RESTART;
    }
    return signals_program_set(signal_number, &action, NULL);
}
