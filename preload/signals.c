#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "access/access.h"
#include "gate.h"
#include "interrupted_call.h"
#include "ledger/ledger.h"
#include "process.h"
#include "signals_program.h"
#include "signals_stack.h"
#include "stack/guard.h"
#include "thread.h"
#include "time/sample.h"

/* Missing from glibc 2.36: siginfo of a perf event's SIGTRAP on LP64 (include/uapi/asm-generic/siginfo.h). */
#define TRAP_CODE_PERF 6
#define TRAP_DATA_OFFSET 24
#define TRAP_FLAGS_OFFSET 36
#define TRAP_FLAG_ASYNC 1u

#define KERNEL_MASK_BYTES 8u /* the kernel's sigset_t; glibc's is longer and its tail lies outside the frame */

static uint64_t mask_bit(int signal_number)
{
    return UINT64_C(1) << (signal_number - 1);
}

static uint64_t mask_of(const void *set)
{
    uint64_t mask;
    memcpy(&mask, set, sizeof mask);
    return mask;
}

static void mask_apply(int how, uint64_t mask)
{
    syscall(SYS_rt_sigprocmask, how, &mask, NULL, KERNEL_MASK_BYTES);
}

/*
 * The default action, seen by everybody as if there were no shim: queued again with the same siginfo while the signal
 * is blocked here, it is delivered at the return from this handler, to the very registers of the fault.
 */
static void die_by_default(int signal_number, siginfo_t *info)
{
    process_record->end_detail = signal_number;
    __atomic_store_n(&process_record->ended, (uint32_t)DB_END_SIGNAL, __ATOMIC_RELEASE);
    signals_surrender(signal_number);
    syscall(SYS_rt_tgsigqueueinfo, syscall(SYS_getpid), syscall(SYS_gettid), signal_number, info);
}

/* A handler of the program runs with the mask that the kernel would have given it, and the gate open for its calls. */
static void call_program(const struct sigaction *action, int signal_number, siginfo_t *info, ucontext_t *uc)
{
    uint64_t mask = mask_of(&uc->uc_sigmask) | mask_of(&action->sa_mask);
    if ((action->sa_flags & SA_NODEFER) == 0) {
        mask |= mask_bit(signal_number);
    }
    if (((unsigned)action->sa_flags & SA_RESETHAND) != 0) {
        signals_program_reset_handler(signal_number);
    }
    uint32_t depth = gate_depth;
    gate_set_depth(0);
    uint64_t blocked = signals_stack_blocked;
    signals_stack_blocked = mask;
    bool alternate = uc->uc_stack.ss_size != 0;
    mask_apply(SIG_SETMASK, mask | (alternate ? signals_stack_mask(action) : 0));
    action->sa_sigaction(signal_number, info, uc);
    signals_stack_blocked = blocked;
    gate_set_depth(depth);
}

/* The signal is the program's. One that the kernel forces (a fault, a breakpoint) cannot be ignored: signal(7). */
static void forward(int signal_number, siginfo_t *info, ucontext_t *uc)
{
    struct sigaction action;
    signals_program_get(signal_number, &action);
    bool forced = info->si_code > 0 && signal_number != SIGPROF;
    if (action.sa_handler == SIG_IGN && !forced) {
        return;
    }
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
        die_by_default(signal_number, info);
    } else {
        call_program(&action, signal_number, info, uc);
    }
}

/* A program may block SIGSEGV and leave the sampling signal open; guarded reads need it. The return restores the mask. */
static void open_faults(const ucontext_t *uc)
{
    uint64_t faults = mask_bit(SIGSEGV) | mask_bit(SIGBUS);
    if ((mask_of(&uc->uc_sigmask) & faults) != 0) {
        mask_apply(SIG_UNBLOCK, faults);
    }
}

/*
 * A SIGSEGV or SIGBUS that somebody sent while a sample is being taken. Both must stay open for guarded reads, but the program's
 * handler may jump out: it would take the sample's mask along. So it waits until the sample is through, as one of a blocked
 * signal waits in the kernel.
 */
#define LATE_SIGNALS 2u
static SHIM_THREAD_LOCAL struct {
    volatile sig_atomic_t inside; /* a sample is being taken */
    volatile sig_atomic_t waits[LATE_SIGNALS];
    siginfo_t info[LATE_SIGNALS];
} late;

/* True: it waits. */
static bool keep_late(int signal_number, const siginfo_t *info)
{
    unsigned index = signal_number == SIGBUS;
    if (!late.inside) {
        return false;
    }
    if (!late.waits[index]) { /* of one that waits already the kernel drops the second too */
        late.info[index] = *info;
        late.waits[index] = 1;
    }
    return true;
}

/* Blocked until the handler's return puts the program's mask back: then the kernel delivers it. */
static void send_late(void)
{
    static const int numbers[LATE_SIGNALS] = {SIGSEGV, SIGBUS};
    for (unsigned i = 0; i < LATE_SIGNALS; i++) {
        if (late.waits[i]) {
            mask_apply(SIG_BLOCK, mask_bit(numbers[i]));
            late.waits[i] = 0;
            syscall(SYS_rt_tgsigqueueinfo, syscall(SYS_getpid), syscall(SYS_gettid), numbers[i], &late.info[i]);
        }
    }
}

/* The shim's own events: a SIGTRAP's by their cookies; a tick may also come by a timer's or a counter's signal. */
enum own_event { EVENT_NONE, EVENT_CLOCK, EVENT_WATCH, EVENT_ALARM, EVENT_TICK };

static enum own_event event_of(uint64_t cookie)
{
    switch (cookie) {
    case SIGNALS_COOKIE_CLOCK:
        return EVENT_CLOCK;
    case SIGNALS_COOKIE_WATCH:
        return EVENT_WATCH;
    case SIGNALS_COOKIE_ALARM:
        return EVENT_ALARM;
    default:
        return EVENT_NONE;
    }
}

static void sampling_refused(enum own_event event, bool asynchronous)
{
    uint32_t phase = *gate_phase_word;
    if (event != EVENT_TICK && thread_self != NULL && phase != GATE_WIPED) {
        access_trap_ignored(thread_self, asynchronous);
    }
    if (phase != GATE_OPEN) {
        if (gate_depth == 0) {
            thread_pause(); /* recording ended in mid-run: nobody will look at this thread again */
        }
        return;
    }
    if (event == EVENT_CLOCK || event == EVENT_TICK) { /* an alarm rings again */
        process_drop(DB_DROP_REENTERED);
    }
}

static void own_event(ucontext_t *uc, enum own_event event, bool asynchronous)
{
    int kept_errno = errno;
    if (signals_stack_is_cramped(uc) || !gate_enter_handler()) {
        sampling_refused(event, asynchronous);
        errno = kept_errno;
        return;
    }
    late.inside = 1;
    if (thread_self != NULL) {
        open_faults(uc);
        if (event == EVENT_CLOCK || event == EVENT_ALARM) {
            access_catch_up(thread_self, uc, asynchronous);
        }
        if (event == EVENT_WATCH) {
            access_trap(thread_self, uc, asynchronous);
        } else if (event == EVENT_ALARM) {
            access_alarm(thread_self);
        } else if (asynchronous) {
            sample_late(thread_self, uc);
        } else {
            sample_take(thread_self, uc);
        }
        interrupted_call_end(uc);
    }
    gate_leave();
    late.inside = 0;
    send_late();
    errno = kept_errno;
}

void signals_sample(void *context)
{
    own_event(context, EVENT_TICK, false);
}

static void handle_trap(int signal_number, siginfo_t *info, void *context)
{
    uint64_t cookie;
    uint32_t flags;
    memcpy(&cookie, (const char *)info + TRAP_DATA_OFFSET, sizeof cookie);
    memcpy(&flags, (const char *)info + TRAP_FLAGS_OFFSET, sizeof flags);
    if (info->si_code == TRAP_CODE_PERF && event_of(cookie) != EVENT_NONE) {
        own_event(context, event_of(cookie), (flags & TRAP_FLAG_ASYNC) != 0);
    } else {
        forward(signal_number, info, context);
    }
}

static void handle_timer(int signal_number, siginfo_t *info, void *context)
{
    if (info->si_code == SI_TIMER && info->si_value.sival_int == SIGNALS_COOKIE_TIMER) {
        own_event(context, EVENT_TICK, false);
    } else {
        forward(signal_number, info, context);
    }
}

/*
 * Where the fault happened, or a signal that was sent arrived. A kernel that has a tick pending delivers it together with the
 * other, and first (dequeue_synchronous_signal() takes the oldest of either, blocked or not): the other's frame then lies on
 * top of the tick's, at the first instruction of handle_trap(), whose third argument is the program's context.
 */
static ucontext_t *program_context(ucontext_t *uc)
{
    uintptr_t at = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
    if (at == (uintptr_t)handle_trap || at == (uintptr_t)handle_timer) {
        return (ucontext_t *)uc->uc_mcontext.gregs[REG_RDX];
    }
    return uc;
}

/* Guarded reads and the ledger's own pages are the shim's, everything else is the program's. */
static void handle_fault(int signal_number, siginfo_t *info, void *context)
{
    int kept_errno = errno;
    ucontext_t *uc = program_context(context);
    bool raised = info->si_code > 0;
    bool done = raised ? guard_recover(uc) || (signal_number == SIGBUS && ledger_repair((uintptr_t)info->si_addr))
                       : keep_late(signal_number, info);
    errno = kept_errno;
    if (!done) {
        forward(signal_number, info, uc);
    }
}

static bool any_blocked(uint64_t signals)
{
    uint64_t mask = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, KERNEL_MASK_BYTES);
    return (mask & signals) != 0;
}

bool signals_sampling_blocked(void)
{
    return any_blocked(mask_bit(SIGTRAP) | (signals_taken(SIGPROF) ? mask_bit(SIGPROF) : 0));
}

bool signals_faults_blocked(void)
{
    return any_blocked(mask_bit(SIGSEGV) | mask_bit(SIGBUS));
}

bool signals_start(void)
{
    return signals_take(SIGTRAP, handle_trap) && signals_take(SIGSEGV, handle_fault) &&
           signals_take(SIGBUS, handle_fault);
}

bool signals_take_sigprof(void)
{
    return signals_taken(SIGPROF) || signals_take(SIGPROF, handle_timer);
}
