#include "access/governor.h"

#include <stdatomic.h>
#include <time.h>

#include "access/calibration.h"
#include "config.h"
#include "kernel.h"
#include "process.h"

#define TRAP_DEFAULT_NS 14000u
#define BURST_NS UINT64_C(2000000) /* what a program that has hardly begun may cost ahead */
#define THIN_FROM 0.85             /* of the budget */
#define ARMED_COST_MOST 0.5        /* of armed time, were all stores to split */
#define WAITING_PART 0.4           /* of the budget */
#define AFTERMATH 1.25             /* what a program loses, for 1 that a trap and its handler take */

static struct calibration measured = {.trap_ns = TRAP_DEFAULT_NS};
static _Atomic uint64_t armed_cost_ns;

/* CPU time of the program that made way for this one by exec: the account is its own. A forked child's clock is new. */
static uint64_t before_ns;
static uint32_t before_pid;

bool governor_start(char *why_off, size_t bytes)
{
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

void governor_charge_armed(uint64_t armed_ns, uint32_t split_stores)
{
    if (measured.armed_slows_splits) {
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
    return config.budget_percent >= 100.0 ||
           (double)atomic_load_explicit(&armed_cost_ns, memory_order_relaxed) <= allowed_ns(WAITING_PART);
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
