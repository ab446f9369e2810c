#include "access/calibration.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "kernel.h"

#define CALIBRATION_TRAPS 8 /* few: the best round is one that nothing else disturbed */
#define CALIBRATION_ROUNDS 18
#define CALIBRATION_WAIT_NS UINT64_C(500000000)
#define CALIBRATION_POLL_NS 50000
#define SA_RESTORER_FLAG 0x04000000

#define SPLIT_STORES 64u
#define SPLIT_ROUNDS 50
#define SLOWED 2.0 /* times as long: noise is less */

#define STRING_BYTES 16384u
#define FAULT_PAGES 8u
#define FAULT_ROUNDS 24
#define PAGE_BYTES 4096u

/* What the child found, in a page that it shares with us. */
struct found {
    volatile int error; /* errno of perf_event_open, 0 when it opened */
    volatile struct calibration measured;
};

struct kernel_action { /* the kernel's sigaction; the C library's is interposed and never called from here */
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

void calibration_return_from_signal(void);
__asm__(".pushsection .text\n"
        ".hidden calibration_return_from_signal\n"
        ".globl calibration_return_from_signal\n"
        ".type calibration_return_from_signal,@function\n"
        "calibration_return_from_signal:\n"
        "    mov $15, %eax\n" /* rt_sigreturn */
        "    syscall\n"
        ".popsection\n");

static void ignore_trap(int signal_number)
{
    (void)signal_number;
}

static volatile uint64_t watched_word;

static uint64_t round_ns(void)
{
    uint64_t start = kernel_clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < CALIBRATION_TRAPS; i++) {
        watched_word = (uint64_t)i;
    }
    return (kernel_clock_ns(CLOCK_MONOTONIC) - start) / CALIBRATION_TRAPS;
}

static char split_lines[(SPLIT_STORES + 1) * 64] __attribute__((aligned(64)));

/* The best of some rounds of stores that all cross a cache line. */
static uint64_t splits_ns(void)
{
    uint64_t best = UINT64_MAX;
    for (int round = 0; round < SPLIT_ROUNDS; round++) {
        uint64_t start = kernel_clock_ns(CLOCK_MONOTONIC);
        for (int repeat = 0; repeat < 16; repeat++) {
            for (size_t i = 0; i < SPLIT_STORES; i++) {
                uint64_t value = i;
                memcpy(split_lines + i * 64 + 60, &value, sizeof value);
                __asm__ volatile("" ::: "memory");
            }
        }
        uint64_t ns = kernel_clock_ns(CLOCK_MONOTONIC) - start;
        best = ns < best ? ns : best;
    }
    return best;
}

static char filled[STRING_BYTES];

/* The best of some fills by the instruction that libc and the kernel fill and clear memory with. */
static uint64_t strings_ns(void)
{
    uint64_t best = UINT64_MAX;
    for (int round = 0; round < SPLIT_ROUNDS; round++) {
        uint64_t start = kernel_clock_ns(CLOCK_MONOTONIC);
        void *to = filled;
        size_t left = sizeof filled;
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(left) : "a"(round) : "memory");
        uint64_t ns = kernel_clock_ns(CLOCK_MONOTONIC) - start;
        best = ns < best ? ns : best;
    }
    return best;
}

/* The best of some first touches of small pages, each; 0 when there is no memory. */
static uint64_t fault_ns(void)
{
    uint64_t best = UINT64_MAX;
    for (int round = 0; round < FAULT_ROUNDS; round++) {
        const size_t bytes = FAULT_PAGES * PAGE_BYTES;
        long mapped = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
        if (mapped == -1) {
            return 0;
        }
        syscall(SYS_madvise, mapped, bytes, MADV_NOHUGEPAGE);
        volatile char *pages = (volatile char *)(uintptr_t)mapped;
        uint64_t start = kernel_clock_ns(CLOCK_MONOTONIC);
        for (size_t i = 0; i < bytes; i += PAGE_BYTES) {
            pages[i] = 1;
        }
        uint64_t ns = (kernel_clock_ns(CLOCK_MONOTONIC) - start) / FAULT_PAGES;
        best = ns < best ? ns : best;
        syscall(SYS_munmap, mapped, bytes);
    }
    return best;
}

/* In the child, with system calls alone. */
static void calibrate(struct found *found)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_BREAKPOINT,
        .size = sizeof attributes,
        .sample_period = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .sigtrap = 1,
        .remove_on_exec = 1,
        .bp_type = HW_BREAKPOINT_RW,
        .bp_addr = (uintptr_t)&watched_word,
        .bp_len = sizeof watched_word,
    };
    struct kernel_action action = {ignore_trap, SA_RESTORER_FLAG, calibration_return_from_signal, 0};
    syscall(SYS_rt_sigaction, SIGTRAP, &action, NULL, sizeof action.mask);
    const uint64_t unarmed_splits_ns = splits_ns(), unarmed_strings_ns = strings_ns(), unarmed_fault_ns = fault_ns();
    if (syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0) {
        found->error = errno;
        return;
    }
    found->measured.armed_slows_splits = (double)splits_ns() > (double)unarmed_splits_ns * SLOWED;
    const double slowdown = (double)strings_ns() / (double)(unarmed_strings_ns + 1);
    found->measured.string_slowdown = slowdown > SLOWED ? slowdown : 1;
    if (slowdown > SLOWED) {
        const uint64_t armed_ns = fault_ns();
        found->measured.armed_fault_ns = armed_ns;
        found->measured.fault_extra_ns = armed_ns > unarmed_fault_ns ? armed_ns - unarmed_fault_ns : 0;
    }
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < CALIBRATION_ROUNDS; i++) {
        uint64_t ns = round_ns();
        best = ns < best ? ns : best;
    }
    found->measured.trap_ns = best;
}

/* A fork without exit signal, waited for and bounded. False when it did not end by itself. */
static bool run_child(struct found *found)
{
    long child = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
    if (child == 0) {
        calibrate(found);
        syscall(SYS_exit_group, 0);
    }
    uint64_t end = kernel_clock_ns(CLOCK_MONOTONIC) + CALIBRATION_WAIT_NS;
    int status = -1;
    while (child > 0 && kernel_clock_ns(CLOCK_MONOTONIC) < end) {
        long ended = syscall(SYS_wait4, child, &status, __WALL | WNOHANG, NULL);
        if (ended != 0 && !(ended < 0 && errno == EINTR)) {
            return ended == child && WIFEXITED(status);
        }
        nanosleep(&(struct timespec){.tv_nsec = CALIBRATION_POLL_NS}, NULL);
    }
    if (child > 0) {
        syscall(SYS_kill, child, SIGKILL);
        syscall(SYS_wait4, child, &status, __WALL, NULL);
    }
    return false;
}

static void explain(int error, char *why_off, size_t bytes)
{
    if (error == ENOSPC || error == EBUSY) {
        snprintf(why_off, bytes, "the debug registers are taken: end the other tool that uses hardware breakpoints");
    } else if (error == EPERM || error == EACCES) {
        snprintf(why_off, bytes,
                 "hardware breakpoints are not permitted: allow perf_event_open in the seccomp profile, or "
                 "sysctl kernel.perf_event_paranoid=2");
    } else if (error == ENOSYS) {
        snprintf(why_off, bytes, "perf_event_open is absent (ENOSYS): allow it in the sandbox's seccomp profile");
    } else {
        snprintf(why_off, bytes, "hardware breakpoints do not work here (%s): use a machine or VM that has them",
                 strerrorname_np(error) != NULL ? strerrorname_np(error) : "no answer");
    }
}

bool calibration_run(struct calibration *result, char *why_off, size_t bytes)
{
    struct found *found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) {
        snprintf(why_off, bytes, "no memory for the calibration of the watchpoints");
        return false;
    }
    bool ended = run_child(found);
    int error = found->error;
    const struct calibration measured = found->measured;
    munmap(found, sizeof *found);
    if (error != 0) {
        explain(error, why_off, bytes);
        return false;
    }
    if (!ended || measured.trap_ns == 0) {
        snprintf(why_off, bytes, "watchpoints could not be tried out: the kernel gave no trap for one");
        return false;
    }
    *result = measured;
    return true;
}
