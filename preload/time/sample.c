#include "time/sample.h"

#include <time.h>

#include "access/access.h"
#include "access/governor.h"
#include "chores.h"
#include "kernel.h"
#include "ledger/ledger.h"
#include "process.h"
#include "stack/context.h"
#include "stack/module.h"
#include "time/counters.h"
#include "time/trigger.h"

#define CLOCK_CHECK_SAMPLES 16u /* a clock whose descriptor was closed goes on: nothing is in a hurry */
#define LATE_PACE 50u           /* percent of the period: doubled at each tick in a row that comes late, ... */
#define LATE_DOUBLINGS 8u       /* ... so often */

/*
 * The first tick after the clock's start comes early. A thread's very first stands for a whole period none the less, as those of
 * shorter threads must, which may have none; after a pause, what was not told before is charged now.
 */
static void first_tick(struct thread *thread)
{
    uint64_t lacking_ns = trigger_current->first_tick(thread);
    thread->first_tick_ns = 0;
    thread->pace = GOVERNOR_QUICK_PACE;
    if (thread->fresh) {
        thread->cpu_ns -= lacking_ns;
        thread->credit_ns = lacking_ns;
        thread->fresh = false;
    }
}

static void restart_clock(struct thread *thread, uint64_t now_ns, unsigned percent)
{
    trigger_current->set_period(thread, trigger_next_ns(&thread->due_ns, now_ns, percent));
}

/*
 * Near the end of the budget the clock goes slower: a tick costs its interrupt even where nothing is done about it. One
 * that cannot is passed over instead. True: this tick is.
 */
static bool keep_pace(struct thread *thread, uint64_t now_ns)
{
    if (trigger_current->set_period == NULL) {
        return governor_pace(GOVERNOR_QUICK_PACE, thread->imports) != GOVERNOR_QUICK_PACE && ++thread->pace % 2 == 0;
    }
    thread->pace = governor_pace(thread->pace, thread->imports);
    restart_clock(thread, now_ns, thread->pace);
    return false;
}

void sample_late(struct thread *thread, const ucontext_t *uc)
{
    process_drop(DB_DROP_ASYNC_TRAP);
    access_tick_late(thread, uc);
    if (thread->late_ticks++ == 0) {
        return; /* the next is on its way */
    }
    if (thread->first_tick_ns != 0) {
        trigger_current->first_tick(thread);
    } else if (trigger_current->set_period != NULL) {
        thread->due_ns = 0;
        restart_clock(thread, kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID),
                      LATE_PACE << (thread->late_ticks < LATE_DOUBLINGS ? thread->late_ticks : LATE_DOUBLINGS));
    }
}

/* CPU time since the last sample, the kernel's part included: a clock that fires on user instructions misses that. */
static uint64_t weight_take(struct thread *thread, uint64_t now_ns)
{
    uint64_t weight_ns = now_ns - thread->cpu_ns;
    thread->cpu_ns = now_ns;
    thread->weight_ns = weight_ns;
    return weight_ns;
}

/* To the time that a context has; false where there is none, or time is not asked for. */
static bool charge(uint32_t node, uint64_t weight_ns)
{
    struct db_node *record = node != 0 ? ledger_record(DB_KIND_NODE, node) : NULL;
    if (record == NULL || process_record->engines[DB_ENGINE_TIME].state != DB_ENGINE_ON) {
        return false;
    }
    process_count(&record->cpu_ns, weight_ns);
    return true;
}

/* Less than nothing where the credit of the first sample is more than what is left, but no more than the last sample charged there. */
void sample_end(struct thread *thread)
{
    uint64_t now_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t rest_ns = now_ns - thread->cpu_ns;
    bool is_short = thread->credit_ns > 0 && now_ns - thread->began_ns < trigger_period_ns();
    if (!thread->paused && !is_short && rest_ns + thread->weight_ns >= thread->credit_ns) {
        charge(thread->sample_node, rest_ns - thread->credit_ns);
    }
    thread->sample_node = 0;
}

/* The C library with the kernel's page below it, or the shim's hook before it. */
static bool serves_others(uintptr_t address)
{
    const struct module *module = module_find(address);
    return module != NULL && (module->flags & (DB_MODULE_ALLOCATOR | DB_MODULE_SHIM)) != 0;
}

/* In native code that Python code called. What the C library does for the interpreter itself, to read a module say, is none. */
static bool is_native(const struct context_scratch *scratch)
{
    if (scratch->python_count == 0 && scratch->launched == 0) {
        return false;
    }
    for (size_t i = 0; i < scratch->native_count; i++) {
        if (!serves_others(scratch->native[i].address)) {
            return !module_is_interpreter(scratch->native[i].address);
        }
    }
    return scratch->native_count > 0 && !scratch->native_complete; /* who called is not known */
}

static bool is_importing(const struct context_scratch *scratch)
{
    for (size_t i = 0; i < scratch->python_count; i++) {
        if (scratch->python[i].imports) {
            return true;
        }
    }
    return false;
}

/* No pair of an import is told: none is looked for. */
static bool try_access(struct thread *thread, ucontext_t *uc, uint64_t weight_ns)
{
    return thread->access != NULL && !thread->imports &&
           process_record->engines[DB_ENGINE_ACCESS].state == DB_ENGINE_ON && is_native(thread->scratch) &&
           access_sample(thread, uc, weight_ns);
}

/*
 * Where a path found no room its callers stand for it. The interpreter cannot stand for native code that it called: that time
 * would look like Python's, so it is in no sample.
 */
static uint32_t intern(struct context_scratch *scratch)
{
    uint32_t id = context_intern(scratch, 0);
    const struct db_node *node = id != 0 ? ledger_record(DB_KIND_NODE, id) : NULL;
    bool is_folded = node != NULL && (node->frame == DB_FRAME_PYTHON || node->frame == DB_FRAME_ROOT);
    return is_folded && is_native(scratch) ? 0 : id;
}

void sample_take(struct thread *thread, ucontext_t *uc)
{
    access_tick(thread, uc);
    thread->late_ticks = 0;
    uint64_t now_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (thread->first_tick_ns != 0) { /* never thinned: there may be no other to charge its time to */
        first_tick(thread);
    } else if (keep_pace(thread, now_ns)) {
        governor_charge(0);
        process_refresh_clocks();
        return;
    }
    uint64_t weight_ns = weight_take(thread, now_ns);
    process_count(&process_record->samples, 1);
    context_capture(uc, thread->scratch);
    uintptr_t state = thread->scratch->has_python_state ? python_this_state() : 0;
    atomic_store_explicit(&thread->python_state, state, memory_order_relaxed);
    atomic_store_explicit(&thread->ticked_ns, __atomic_load_n(&process_record->last_monotonic_ns, __ATOMIC_RELAXED),
                          memory_order_relaxed);
    if (thread->scratch->python_count > 0) {
        process_ran_python();
    }
    thread->imports = is_importing(thread->scratch);
    uint32_t node = thread->sample_node = intern(thread->scratch);
    struct db_node *record = node != 0 ? ledger_record(DB_KIND_NODE, node) : NULL;
    if (charge(node, weight_ns)) {
        process_count(&record->samples, 1);
        counters_sample(thread, node);
    }
    if (try_access(thread, uc, weight_ns)) {
        process_count(&process_record->native, 1);
        if (record != NULL) {
            process_count(&record->native_cpu_ns, weight_ns);
        }
    }
    if (++thread->samples % CLOCK_CHECK_SAMPLES == 0 && thread->clock_descriptor >= 0 &&
        !thread_event_is_ours(thread->clock_descriptor)) {
        chores_want(CHORE_THREAD);
    }
    process_refresh_clocks();
    uint64_t entered_ns = thread->cpu_ns;
    thread->cpu_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID); /* the sample's own cost is nobody's line's */
    governor_charge(thread->cpu_ns - entered_ns);
}
