/*
 * sigprocmask(2) and pthread_sigmask(3): a thread that blocks the sampling signal is not sampled meanwhile. Masks changed by
 * other ways (during a handler, sigsuspend, ppoll, siglongjmp) are not seen; a tick then waits and is dropped as late.
 */
#include <errno.h>
#include <signal.h>

#include "chores.h"
#include "gate.h"
#include "real.h"
#include "signals.h"
#include "signals_stack.h"
#include "thread.h"

/* Might this change block a sampling signal? */
static bool may_block(int how, const sigset_t *set)
{
    return how != SIG_UNBLOCK && (sigismember(set, SIGTRAP) == 1 || sigismember(set, SIGPROF) == 1);
}

static bool may_change_faults(const sigset_t *set)
{
    return thread_self->faults_blocked || sigismember(set, SIGSEGV) == 1 || sigismember(set, SIGBUS) == 1;
}

/* Before: no tick may come between the block and the stop. */
static void before_change(int how, const sigset_t *set)
{
    if (set != NULL && gate_enter()) {
        chores_poll();
        if (may_block(how, set)) {
            thread_pause();
        }
        gate_leave();
    }
}

static void after_change(const sigset_t *set, sigset_t *old)
{
    int kept_errno = errno;
    if (old != NULL && sigismember(old, SIGTRAP) == 1) {
        signals_stack_hide(old);
    }
    if (set != NULL && gate_enter()) {
        if (thread_self != NULL && may_change_faults(set)) {
            thread_self->faults_blocked = signals_faults_blocked();
        }
        if (thread_self != NULL && thread_self->paused && !signals_sampling_blocked()) {
            thread_resume();
        }
        gate_leave();
    }
    errno = kept_errno;
}

INTERPOSED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    before_change(how, set);
    int status = REAL(pthread_sigmask)(how, set, old);
    after_change(set, status == 0 ? old : NULL);
    return status;
}

INTERPOSED int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    before_change(how, set);
    int status = REAL(sigprocmask)(how, set, old);
    after_change(set, status == 0 ? old : NULL);
    return status;
}
