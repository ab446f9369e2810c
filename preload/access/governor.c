#include "access/governor.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "access/armed.h"
#include "access/calibration.h"
#include "config.h"
#include "kernel.h"
#include "process.h"

#define TRAP_DEFAULT_NS 14000u
#define BURST_NS UINT64_C(2000000) /* what a program that has hardly begun may cost ahead */
#define SLOW_FROM 0.8              /* of the budget the clocks go slower ... */
#define QUICK_BELOW 0.6            /* ... until it is only this that is spent */
#define SLOWEST_HZ 104u            /* fewer than 100 ticks a second would tell too little: a clock of 100 may give 99 */
#define SPLITS_COST_MOST 0.5       /* of armed time, were all stores to split */
#define HUGE_COST 0.9              /* of the time that clearing huge pages takes while armed */
#define HUGE_FAULTS_FROM 8u        /* times what small faults take: then the pages must be huge */
#define HUGE_FAULT_MAX_NS UINT64_C(1500000) /* one takes no longer, armed */
#define WAITING_PART 0.4                    /* of the budget */
#define ONE_WAIT_PART 0.02                  /* of the budget */
#define LATE_NS UINT64_C(500000000)         /* of armed time: what came before counts for half */
#define GUESSED_PRICE 0.05                  /* of armed time, before any was seen */
#define GUESS_NS 2e7                        /* that guess weighs as much as so much armed time */
#define AFTERMATH 1.5 /* what a program loses, for 1 that a trap and its handler take: 1.3 to 1.7 measured */

static struct calibration measured = {.trap_ns = TRAP_DEFAULT_NS, .string_slowdown = 1};
static _Atomic uint64_t armed_cost_ns;
/* The same and armed time itself of late, older parts halved again and again: a program's phases differ. */
static _Atomic uint64_t late_cost_ns, late_armed_ns;
/* In all threads while armed: the tick that counts kernel time is too coarse for less than the sum. */
static _Atomic uint64_t armed_faults, armed_kernel_ns, faults_charged_ns;
static _Atomic uint64_t other_faults, other_kernel_ns; /* in the same threads while not armed */
static atomic_bool huge_pages_come;

/* CPU time of the program that made way for this one by exec: the account is its own. A forked child's clock is new. */
static uint64_t before_ns;
static uint32_t before_pid;

void governor_expect_huge_pages(void)
{
    if (!atomic_load_explicit(&huge_pages_come, memory_order_relaxed)) {
        atomic_store_explicit(&huge_pages_come, true, memory_order_relaxed);
    }
}

/* Documentation/admin-guide/mm/transhuge.rst; glibc.malloc.hugetlb makes glibc ask. */
static void find_huge_pages(void)
{
    char enabled[64] = "";
    kernel_read_file("/sys/kernel/mm/transparent_hugepage/enabled", enabled, sizeof enabled);
    const char *tunables = getenv("GLIBC_TUNABLES");
    if (strstr(enabled, "[always]") != NULL || (tunables != NULL && strstr(tunables, "hugetlb") != NULL)) {
        governor_expect_huge_pages();
    }
}

bool governor_start(char *why_off, size_t bytes)
{
    find_huge_pages();
    before_ns = kernel_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    before_pid = process_record->pid;
    return calibration_run(&measured, why_off, bytes);
}

static double allowed_ns(double part)
{
    uint64_t begun_ns = process_record->pid == before_pid ? before_ns : 0;
    uint64_t now_ns = __atomic_load_n(&process_record->cpu_ns, __ATOMIC_RELAXED);
    double run_ns = now_ns > begun_ns ? (double)(now_ns - begun_ns) : 0;
    return run_ns * config.budget_percent / 100.0 * part + (double)BURST_NS;
}

void governor_charge(uint64_t handler_ns)
{
    process_count(&process_record->shim_cpu_ns, (uint64_t)((double)(handler_ns + measured.trap_ns) * AFTERMATH));
}

static bool spent_below(double part)
{
    uint64_t spent_ns = __atomic_load_n(&process_record->shim_cpu_ns, __ATOMIC_RELAXED);
    return config.budget_percent >= 100.0 || (double)spent_ns <= allowed_ns(1.0) * part;
}

bool governor_strings_are_slowed(void)
{
    return measured.string_slowdown > 1;
}

/*
 * A fault takes 2 us here and 30 us there, in a virtual machine whose memory the host has yet to give or under others' load: what
 * it takes this program unarmed is the measure, not a figure. The kernel's part of the traps is charged with them.
 */
static uint64_t faults_cost_ns(uint64_t faults, uint64_t kernel_ns)
{
    uint64_t traps_ns = __atomic_load_n(&process_record->traps, __ATOMIC_RELAXED) * measured.trap_ns;
    uint64_t others = atomic_load(&other_faults), usual_ns = others != 0 ? atomic_load(&other_kernel_ns) / others : 0;
    uint64_t cost_ns = faults * measured.fault_extra_ns;
    uint64_t small_ns = faults * (usual_ns > measured.armed_fault_ns ? usual_ns : measured.armed_fault_ns);
    kernel_ns = kernel_ns > traps_ns ? kernel_ns - traps_ns : 0;
    if (atomic_load_explicit(&huge_pages_come, memory_order_relaxed) && measured.fault_extra_ns != 0 &&
        kernel_ns > small_ns * HUGE_FAULTS_FROM) {
        uint64_t huge_ns = faults * HUGE_FAULT_MAX_NS;
        huge_ns = kernel_ns - small_ns < huge_ns ? kernel_ns - small_ns : huge_ns;
        cost_ns += (uint64_t)((double)huge_ns * HUGE_COST);
    }
    return cost_ns;
}

/* What the faults so far cost more than had been charged for those before them. */
static uint64_t faults_more_ns(const struct armed_time *armed)
{
    uint64_t faults = atomic_fetch_add(&armed_faults, armed->faults) + armed->faults;
    uint64_t kernel_ns = atomic_fetch_add(&armed_kernel_ns, armed->kernel_ns) + armed->kernel_ns;
    atomic_fetch_add(&other_faults, armed->other_faults);
    atomic_fetch_add(&other_kernel_ns, armed->other_kernel_ns);
    uint64_t cost_ns = faults_cost_ns(faults, kernel_ns);
    uint64_t charged_ns = atomic_load(&faults_charged_ns);
    if (cost_ns <= charged_ns || !atomic_compare_exchange_strong(&faults_charged_ns, &charged_ns, cost_ns)) {
        return 0; /* another thread's charge holds ours */
    }
    return cost_ns - charged_ns;
}

/* Two threads that halve at once make the past count for less: no harm. */
static void price_learn(uint64_t armed_ns, uint64_t cost_ns)
{
    uint64_t late_ns = atomic_fetch_add(&late_armed_ns, armed_ns) + armed_ns;
    uint64_t late_cost = atomic_fetch_add(&late_cost_ns, cost_ns) + cost_ns;
    if (late_ns > LATE_NS) {
        atomic_fetch_sub(&late_armed_ns, late_ns / 2);
        atomic_fetch_sub(&late_cost_ns, late_cost / 2);
    }
}

static void charge_armed(uint64_t armed_ns, uint64_t cost_ns)
{
    process_count(&process_record->shim_cpu_ns, cost_ns);
    atomic_fetch_add_explicit(&armed_cost_ns, cost_ns, memory_order_relaxed);
    price_learn(armed_ns, cost_ns);
}

void governor_charge_armed(const struct armed_time *armed, uint32_t split_stores)
{
    double part = measured.armed_slows_splits ? SPLITS_COST_MOST * split_stores / 65536.0 : 0;
    charge_armed(armed->ns, (uint64_t)((double)armed->ns * part) + faults_more_ns(armed));
}

void governor_charge_string(uint64_t since_ns)
{
    charge_armed(0, (uint64_t)((double)since_ns * (1 - 1 / measured.string_slowdown)));
}

void governor_reset_child(void)
{
    atomic_store_explicit(&armed_cost_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&late_cost_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&late_armed_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&armed_faults, 0, memory_order_relaxed);
    atomic_store_explicit(&armed_kernel_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&faults_charged_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&other_faults, 0, memory_order_relaxed);
    atomic_store_explicit(&other_kernel_ns, 0, memory_order_relaxed);
}

bool governor_allows_waiting(void)
{
    return config.budget_percent >= 100.0 ||
           (double)atomic_load_explicit(&armed_cost_ns, memory_order_relaxed) <= allowed_ns(WAITING_PART);
}

/* Lost of each second that a thread runs with a register armed: a guess, which what is seen soon outweighs. */
static double armed_price(void)
{
    if (!measured.armed_slows_splits && measured.string_slowdown <= 1) {
        return 0;
    }
    uint64_t total_ns = atomic_load_explicit(&late_armed_ns, memory_order_relaxed);
    uint64_t cost_ns = atomic_load_explicit(&late_cost_ns, memory_order_relaxed);
    return ((double)cost_ns + GUESS_NS * GUESSED_PRICE) / ((double)total_ns + GUESS_NS);
}

bool governor_waiting_is_dear(void)
{
    return config.budget_percent < 100.0 && armed_price() > config.budget_percent / 100.0 * WAITING_PART;
}

uint64_t governor_longest_wait_ns(void)
{
    return governor_waiting_is_dear() ? (uint64_t)(allowed_ns(ONE_WAIT_PART) / armed_price()) : UINT64_MAX;
}

bool governor_allows(void)
{
    return spent_below(1.0);
}

/* Where SLOW_PACE leaves fewer than so many ticks a second that is the slowest. */
static unsigned slowest_pace(void)
{
    unsigned pace = config.rate_hz * 100 / SLOWEST_HZ;
    return pace > GOVERNOR_SLOW_PACE ? pace : GOVERNOR_SLOW_PACE;
}

unsigned governor_pace(unsigned pace, bool imports)
{
    if (imports && config.budget_percent < 100.0) {
        return GOVERNOR_SLOW_PACE;
    }
    if (spent_below(QUICK_BELOW)) {
        return GOVERNOR_QUICK_PACE;
    }
    if (spent_below(SLOW_FROM)) {
        return pace;
    }
    if (spent_below(1.0) || pace < GOVERNOR_SLOW_PACE) {
        return pace > GOVERNOR_SLOW_PACE ? pace : GOVERNOR_SLOW_PACE;
    }
    return pace * 2 < slowest_pace() ? pace * 2 : slowest_pace();
}
