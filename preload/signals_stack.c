#include "signals_stack.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "real.h"
#include "signals_program.h"
#include "thread.h"

/* A sample takes 10 KiB, and a fault in a guarded read one more frame, with AMX state 11 KiB. */
#define SAMPLE_STACK_BYTES 32768u

/* The sampling signals, and for which of the program's signals each was added to the kernel's mask. */
static struct {
    int signal_number;
    _Atomic uint64_t added;
} sampling[] = {{.signal_number = SIGTRAP}, {.signal_number = SIGPROF}};
#define SAMPLING_SIGNALS (sizeof sampling / sizeof sampling[0])

SHIM_THREAD_LOCAL uint64_t signals_stack_blocked;

static uint64_t bit_of(int signal_number)
{
    return UINT64_C(1) << (signal_number - 1);
}

static bool wants_alternate_stack(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN && (action->sa_flags & SA_ONSTACK) != 0;
}

uint64_t signals_stack_mask(const struct sigaction *action)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < SAMPLING_SIGNALS; i++) {
        bool waits = signals_taken(sampling[i].signal_number) && wants_alternate_stack(action);
        mask |= waits ? bit_of(sampling[i].signal_number) : 0;
    }
    return mask;
}

/* The book is wrong for the moment between the kernel's change and ours: what a thread reads just then differs by a bit. */
static void note(int signal_number, const struct sigaction *action, uint64_t mask)
{
    for (size_t i = 0; i < SAMPLING_SIGNALS; i++) {
        bool added = (mask & bit_of(sampling[i].signal_number)) != 0 &&
                     sigismember(&action->sa_mask, sampling[i].signal_number) == 0;
        if (added) {
            atomic_fetch_or(&sampling[i].added, bit_of(signal_number));
        } else {
            atomic_fetch_and(&sampling[i].added, ~bit_of(signal_number));
        }
    }
}

int signals_stack_set(int signal_number, const struct sigaction *action, struct sigaction *old)
{
    if (signal_number < 1 || signal_number > 64) {
        return REAL(sigaction)(signal_number, action, old);
    }
    struct sigaction kernel;
    uint64_t mask = action != NULL ? signals_stack_mask(action) : 0;
    if (mask != 0) {
        kernel = *action;
    }
    bool added[SAMPLING_SIGNALS];
    for (size_t i = 0; i < SAMPLING_SIGNALS; i++) {
        added[i] = (atomic_load(&sampling[i].added) & bit_of(signal_number)) != 0;
        if ((mask & bit_of(sampling[i].signal_number)) != 0) {
            sigaddset(&kernel.sa_mask, sampling[i].signal_number);
        }
    }
    struct sigaction wanted = action != NULL ? *action : (struct sigaction){.sa_flags = 0}; /* `old` may be the same */
    int status = REAL(sigaction)(signal_number, mask != 0 ? &kernel : action, old);
    for (size_t i = 0; status == 0 && old != NULL && i < SAMPLING_SIGNALS; i++) {
        if (added[i]) {
            sigdelset(&old->sa_mask, sampling[i].signal_number);
        }
    }
    if (status == 0 && action != NULL && !signals_in_vfork_child()) {
        note(signal_number, &wanted, mask);
    }
    return status;
}

static bool on_alternate_stack(void)
{
    stack_t stack;
    return sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

void signals_stack_hide(sigset_t *old)
{
    int kept_errno = errno;
    if (thread_self == NULL || !thread_self->paused) {
        for (size_t i = 0; i < SAMPLING_SIGNALS; i++) {
            bool waits = signals_taken(sampling[i].signal_number) &&
                         (signals_stack_blocked & bit_of(sampling[i].signal_number)) == 0 &&
                         ((thread_self != NULL && atomic_load(&sampling[i].added) != 0) || on_alternate_stack());
            if (waits) {
                sigdelset(old, sampling[i].signal_number);
            }
        }
    }
    errno = kept_errno;
}

bool signals_stack_is_cramped(const ucontext_t *uc)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), low = (uintptr_t)uc->uc_stack.ss_sp;
    return here - low < uc->uc_stack.ss_size && here - low < SAMPLE_STACK_BYTES;
}
