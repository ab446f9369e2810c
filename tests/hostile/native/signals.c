/* A program's own handlers for the signals that the shim needs too, and every way to send them. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t counts[65], codes[65], values[65];
static volatile sig_atomic_t sender_is_me, on_alternate, recovering;
static volatile uint64_t mask_inside;
static void *volatile address;
static sigjmp_buf recovery;
static struct sigaction before[65];
static char alternate[65536];

static void note(int number, siginfo_t *info, void *context)
{
    char here;
    sigset_t mask;
    (void)context;
    counts[number]++;
    codes[number] = info->si_code;
    values[number] = info->si_code == SI_QUEUE ? info->si_value.sival_int : 0;
    sender_is_me = info->si_code <= 0 ? info->si_pid == getpid() : -1;
    on_alternate = &here >= alternate && &here < alternate + sizeof alternate;
    address = info->si_addr;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    memcpy((void *)&mask_inside, &mask, sizeof mask_inside);
    errno = 0;
    if (recovering && number == SIGSEGV) {
        recovering = 0;
        siglongjmp(recovery, 1);
    }
}

int flag_onstack(void)
{
    return SA_ONSTACK;
}

int flag_nodefer(void)
{
    return SA_NODEFER;
}

static int install(int number, int flags, void (*handler)(int, siginfo_t *, void *))
{
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    counts[number] = 0;
    if ((flags & SA_ONSTACK) != 0 && sigaltstack(&stack, NULL) != 0) {
        return -1;
    }
    return sigaction(number, &action, before[number].sa_flags == 0 ? &before[number] : NULL);
}

int own_install(int number, int flags)
{
    return install(number, flags, note);
}

int install_once(int number)
{
    return install(number, SA_RESETHAND, note);
}

int own_restore(int number)
{
    return sigaction(number, &before[number], NULL);
}

/* What sigaction says of the handler that is set: kind * 1000 + flags below * 10 + SIGUSR2 in its mask. */
int own_reported(int number)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) {
        return -1;
    }
    int kind = action.sa_handler == SIG_DFL   ? 0
               : action.sa_handler == SIG_IGN ? 1
               : action.sa_sigaction == note  ? 2
                                              : 3;
    int flags = ((action.sa_flags & SA_SIGINFO) != 0) | ((action.sa_flags & SA_ONSTACK) != 0) << 1 |
                ((action.sa_flags & SA_NODEFER) != 0) << 2 | ((action.sa_flags & SA_RESTART) != 0) << 3 |
                ((action.sa_flags & (int)SA_RESETHAND) != 0) << 4;
    return kind * 1000 + flags * 10 + sigismember(&action.sa_mask, SIGUSR2);
}

int own_raise(int number)
{
    return raise(number);
}

/* By process: with other threads about, this one alone has the signal open, for the call waits for it. */
int own_kill(int number)
{
    int seen = counts[number];
    int result = kill(getpid(), number);
    for (int waited = 0; counts[number] == seen && waited < 1000; waited++) {
        usleep(1000);
    }
    return result;
}

int own_queue(int number)
{
    union sigval value = {.sival_int = 4242};
    int seen = counts[number];
    int result = sigqueue(getpid(), number, value);
    for (int waited = 0; counts[number] == seen && waited < 1000; waited++) {
        usleep(1000);
    }
    return result;
}

int own_count(int number)
{
    return counts[number];
}

int own_code(int number)
{
    return codes[number];
}

int own_value(int number)
{
    return values[number];
}

int own_sender_is_me(void)
{
    return sender_is_me;
}

int own_mask(void)
{
    return (int)mask_inside;
}

int own_on_alternate(void)
{
    return on_alternate;
}

int own_address(void)
{
    return (int)(intptr_t)address;
}

void own_breakpoint(void)
{
    __asm__ volatile("int3");
}

/* The trap flag, set for a few instructions: each sends SIGTRAP with TRAP_TRACE. */
void own_single_step(void)
{
    __asm__ volatile("sub $128, %%rsp\n\t"
                     "pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\t"
                     "nop\n\tnop\n\tnop\n\tnop\n\t"
                     "pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\t"
                     "add $128, %%rsp" ::
                         : "memory", "cc");
}

/* A real fault, left by siglongjmp: at `where`, or a write to this library's code for -1. */
int own_fault_recovered(int where)
{
    volatile int *target = where == -1 ? (volatile int *)(intptr_t)own_count : (volatile int *)(intptr_t)where;
    int seen = counts[SIGSEGV];
    if (sigsetjmp(recovery, 1) == 0) {
        recovering = 1;
        *target = 1;
    }
    return counts[SIGSEGV] - seen;
}

static char *barrier;
static volatile int barrier_faults;

static void lift_barrier(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)4095;
    barrier_faults++;
    if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) != 0) {
        _exit(99);
    }
}

/* A collector's write barrier: each page faults once, the handler opens it, the store runs again. */
int own_write_barrier(int pages)
{
    size_t bytes = (size_t)pages * 4096;
    struct sigaction action = {.sa_sigaction = lift_barrier, .sa_flags = SA_SIGINFO}, old;
    barrier = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &action, &old);
    for (int round = 0; round < 20; round++) {
        mprotect(barrier, bytes, PROT_READ);
        for (size_t at = 0; at < bytes; at += 64) {
            barrier[at]++;
        }
    }
    sigaction(SIGSEGV, &old, NULL);
    int sum = 0;
    for (size_t at = 0; at < bytes; at += 64) {
        sum += barrier[at] == 20;
    }
    munmap(barrier, bytes);
    return barrier_faults * 2 + (sum == pages * 64);
}

static void burn(int milliseconds)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    int64_t end = now.tv_sec * 1000000000LL + now.tv_nsec + milliseconds * 1000000LL;
    do {
        for (volatile int i = 0; i < 10000; i++) {
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec * 1000000000LL + now.tv_nsec < end);
}

int own_profile_timer(int milliseconds)
{
    struct itimerval timer = {{0, 10000}, {0, 10000}}, off = {{0, 0}, {0, 0}}, read;
    counts[SIGPROF] = 0;
    setitimer(ITIMER_PROF, &timer, NULL);
    burn(milliseconds);
    getitimer(ITIMER_PROF, &read);
    setitimer(ITIMER_PROF, &off, NULL);
    return read.it_interval.tv_usec == 10000 ? counts[SIGPROF] : -1;
}

void null_write(void)
{
    *(volatile int *)8 = 1;
}

static void fault(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    null_write();
}

int install_faulting(void)
{
    return install(SIGTRAP, 0, fault);
}

void call_address(void (*where)(void))
{
    where();
}

int overflow(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    return depth == 0 ? 0 : overflow(depth + 1) + frame[0];
}

void spin(void)
{
    for (;;) {
        burn(100);
    }
}
