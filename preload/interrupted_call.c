#include "interrupted_call.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "access/machine.h"

#define KERNEL_SIGNALS 64

/* Those of signal(7) that are started again behind a handler with SA_RESTART alone: fork() and execve() always are. */
static bool is_cut_short(const struct machine_call *call)
{
    switch (call->number) {
    case SYS_read:
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_pread64:
    case SYS_write:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_pwrite64:
    case SYS_ioctl:
#ifdef SYS_open /* not on every processor */
    case SYS_open:
#endif
    case SYS_openat:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_flock:
    case SYS_fcntl:
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_getrandom:
    case SYS_splice:
    case SYS_tee:
    case SYS_vmsplice:
        return true;
    case SYS_futex:
        return (call->second & FUTEX_CMD_MASK) == FUTEX_WAIT || (call->second & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    default:
        return false;
    }
}

/* The kernel's (include/uapi/asm/signal.h on x86-64): in a handler nothing is looked up for libc's. */
struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

static bool wants_it(int signal_number)
{
    struct kernel_action action;
    return syscall(SYS_rt_sigaction, signal_number, NULL, &action, sizeof action.mask) == 0 &&
           action.handler != SIG_DFL && action.handler != SIG_IGN && (action.flags & SA_RESTART) == 0;
}

void interrupted_call_end(ucontext_t *uc)
{
    struct machine_call call;
    uint64_t pending = 0, blocked;
    if (!machine_call_starts_again(uc, &call) || !is_cut_short(&call) ||
        syscall(SYS_rt_sigpending, &pending, sizeof pending) != 0) {
        return;
    }
    memcpy(&blocked, &uc->uc_sigmask, sizeof blocked);
    for (int signal_number = 1; signal_number <= KERNEL_SIGNALS; signal_number++) {
        bool waits = ((pending & ~blocked) >> (signal_number - 1) & 1) != 0;
        if (waits && wants_it(signal_number)) {
            machine_call_fail(uc);
            return;
        }
    }
}
