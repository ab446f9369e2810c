#include "launch/adopt.h"

#include <stddef.h>
#include <string.h>

#include "access/machine.h"
#include "pieprof/db.h"
#include "process.h"
#include "stack/context.h"
#include "stack/eh_frame.h"
#include "stack/module.h"
#include "thread.h"

static const struct module *pool_module(const struct thread *thread)
{
    const struct module *module = module_find((uintptr_t)thread->origin.routine);
    return module != NULL && strstr(module_path(module), "openblas") != NULL ? module : NULL;
}

/*
 * Below the routine that waits for jobs stands another function of the library. One that only returns has done its work: OpenBLAS's
 * exec_threads() stores that the job is done, and the caller runs on, before it returns to the routine. A stub is none: the routine itself
 * goes through one to sched_yield() while it waits.
 */
static bool is_at_work(const struct thread *thread, const struct module *pool, const struct context_scratch *scratch)
{
    struct eh_frame_function function;
    uintptr_t leaf = scratch->native_count > 0 ? scratch->native[0].address : 0;
    size_t first = leaf != 0 && (machine_is_returning(leaf) || machine_is_stub(leaf)) ? 1 : 0;
    for (size_t i = first; i < scratch->native_count; i++) {
        uintptr_t address = scratch->native[i].address - (i > 0 ? 1 : 0);
        if (module_find(address) == pool) {
            return !eh_frame_find_function(pool, address, &function) ||
                   function.low != (uintptr_t)thread->origin.routine;
        }
    }
    return false;
}

/* A thread's clock ticks while it runs: one that did not for so long stands still. */
#define IDLE_NS UINT64_C(100000000)

/* The only thread with Python, of several the only one that ran of late; NULL when there is no telling. */
static const struct thread *only_caller(void)
{
    const struct thread *thread = NULL, *only = NULL, *running = NULL;
    unsigned count = 0, running_count = 0;
    uint64_t now_ns = __atomic_load_n(&process_record->last_monotonic_ns, __ATOMIC_RELAXED);
    while ((thread = thread_next(thread)) != NULL) {
        if (atomic_load_explicit(&thread->python_state, memory_order_relaxed) == 0) {
            continue;
        }
        only = thread;
        count++;
        if (now_ns - atomic_load_explicit(&thread->ticked_ns, memory_order_relaxed) < IDLE_NS) {
            running = thread;
            running_count++;
        }
    }
    return count == 1 ? only : running_count == 1 ? running : NULL;
}

/* A thread that serves another stack meanwhile is not the one: its frames may have moved under the walk. */
static uint32_t context_of(const struct thread *caller, struct context_scratch *scratch)
{
    uintptr_t state = atomic_load_explicit(&caller->python_state, memory_order_relaxed);
    struct python_top before, after;
    if (!python_top_of(state, &before)) {
        return 0;
    }
    uint32_t node = context_intern_frames(scratch, DB_ROOT_ADOPTED, before.frame);
    bool same = python_top_of(state, &after) && after.frame == before.frame && after.instruction == before.instruction;
    return same ? node : 0;
}

uint32_t adopt_find(const struct thread *thread, struct context_scratch *scratch)
{
    const struct module *pool = pool_module(thread);
    scratch->waits = pool != NULL && !is_at_work(thread, pool, scratch);
    const struct thread *caller = pool != NULL && !scratch->waits ? only_caller() : NULL;
    return caller != NULL ? context_of(caller, scratch) : 0;
}
