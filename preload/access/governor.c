#include "access/governor.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "config.h"
#include "kernel.h"
#include "process.h"

#define CALIBRATION_TRAPS 48
#define CALIBRATION_ROUNDS 3
#define CALIBRATION_WAIT_NS UINT64_C(500000000)
#define CALIBRATION_POLL_NS 50000
#define TRAP_DEFAULT_NS 14000u
#define BURST_NS UINT64_C(2000000) /* what a program that has hardly begun may cost ahead */
#define THIN_FROM 0.85             /* of the budget */
#define SA_RESTORER_FLAG 0x04000000

#define SPLIT_STORES 64u
#define SPLIT_ROUNDS 50
#define SPLIT_SLOWED 2.0    /* times as long: noise is less */
#define ARMED_COST_MOST 0.5 /* of armed time, were all stores to split */
#define WAITING_PART 0.4    /* of the budget */

static uint64_t trap_ns = TRAP_DEFAULT_NS;
static bool armed_slows_splits;
static _Atomic uint64_t armed_cost_ns;

/* What the child found, in a page that it shares with us. */
struct calibration {
    volatile int error; /* errno of perf_event_open, 0 when it opened */
    volatile uint64_t trap_ns;
    volatile bool armed_slows_splits;
};

struct kernel_action { /* the kernel's sigaction; the C library's is interposed and never called from here */
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

void governor_return_from_signal(void);
__asm__(".pushsection .text\n"
        ".hidden governor_return_from_signal\n"
        ".globl governor_return_from_signal\n"
        ".type governor_return_from_signal,@function\n"
        "governor_return_from_signal:\n"
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

/* In the child, with system calls alone. */
static void calibrate(struct calibration *result)
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
    struct kernel_action action = {ignore_trap, SA_RESTORER_FLAG, governor_return_from_signal, 0};
    syscall(SYS_rt_sigaction, SIGTRAP, &action, NULL, sizeof action.mask);
    uint64_t unarmed_ns = splits_ns();
    if (syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0) {
        result->error = errno;
        return;
    }
    result->armed_slows_splits = (double)splits_ns() > (double)unarmed_ns * SPLIT_SLOWED;
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < CALIBRATION_ROUNDS; i++) {
        uint64_t ns = round_ns();
        best = ns < best ? ns : best;
    }
    result->trap_ns = best;
}

/* A fork without exit signal, waited for and bounded. False when it did not end by itself. */
static bool run_child(struct calibration *result)
{
    long child = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
    if (child == 0) {
        calibrate(result);
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

bool governor_start(char *why_off, size_t bytes)
{
    struct calibration *result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED) {
        snprintf(why_off, bytes, "no memory for the calibration of the watchpoints");
        return false;
    }
    bool ended = run_child(result);
    int error = result->error;
    uint64_t measured_ns = result->trap_ns;
    armed_slows_splits = result->armed_slows_splits;
    munmap(result, sizeof *result);
    if (error != 0) {
        explain(error, why_off, bytes);
        return false;
    }
    if (!ended || measured_ns == 0) {
        snprintf(why_off, bytes, "watchpoints could not be tried out: the kernel gave no trap for one");
        return false;
    }
    trap_ns = measured_ns;
    return true;
}

uint64_t governor_trap_ns(void)
{
    return trap_ns;
}

void governor_charge(uint64_t handler_ns)
{
    process_count(&process_record->shim_cpu_ns, handler_ns + trap_ns);
}

static bool spent_below(double part)
{
    uint64_t spent_ns = __atomic_load_n(&process_record->shim_cpu_ns, __ATOMIC_RELAXED);
    uint64_t run_ns = __atomic_load_n(&process_record->cpu_ns, __ATOMIC_RELAXED);
    double allowed_ns = (double)run_ns * config.budget_percent / 100.0 + (double)BURST_NS;
    return config.budget_percent >= 100.0 || (double)spent_ns <= allowed_ns * part;
}

void governor_charge_armed(uint64_t armed_ns, uint32_t split_stores)
{
    if (armed_slows_splits) {
        uint64_t cost_ns = (uint64_t)((double)armed_ns * ARMED_COST_MOST * split_stores / 65536.0);
        process_count(&process_record->shim_cpu_ns, cost_ns);
        atomic_fetch_add_explicit(&armed_cost_ns, cost_ns, memory_order_relaxed);
    }
}

void governor_reset_child(void)
{
    atomic_store_explicit(&armed_cost_ns, 0, memory_order_relaxed);
}

bool governor_allows_waiting(void)
{
    double run_ns = (double)__atomic_load_n(&process_record->cpu_ns, __ATOMIC_RELAXED);
    double allowed_ns = run_ns * config.budget_percent / 100.0 * WAITING_PART + (double)BURST_NS;
    return config.budget_percent >= 100.0 ||
           (double)atomic_load_explicit(&armed_cost_ns, memory_order_relaxed) <= allowed_ns;
}

bool governor_allows(void)
{
    return spent_below(1.0);
}

bool governor_thins(void)
{
    static atomic_uint ticks;
    return !spent_below(THIN_FROM) && (atomic_fetch_add(&ticks, 1) & 1) != 0;
}
