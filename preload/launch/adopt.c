#include "launch/adopt.h"

#include <stddef.h>
#include <string.h>

#include "pieprof/db.h"
#include "stack/context.h"
#include "stack/eh_frame.h"
#include "stack/module.h"
#include "thread.h"

static const struct module *pool_module(const struct thread *thread)
{
    const struct module *module = module_find((uintptr_t)thread->origin.routine);
    return module != NULL && strstr(module_path(module), "openblas") != NULL ? module : NULL;
}

/* Below the routine that waits for jobs stands another function of the library. */
static bool is_at_work(const struct thread *thread, const struct module *pool, const struct context_scratch *scratch)
{
    struct eh_frame_function function;
    for (size_t i = 0; i < scratch->native_count; i++) {
        uintptr_t address = scratch->native[i].address - (i > 0 ? 1 : 0);
        if (module_find(address) == pool) {
            return !eh_frame_find_function(pool, address, &function) ||
                   function.low != (uintptr_t)thread->origin.routine;
        }
    }
    return false;
}

/* The only thread with Python; of several the only one that ran since `before`; NULL when there is no telling. */
#define CANDIDATES_MAX 16u
struct candidates {
    size_t count;
    const struct thread *threads[CANDIDATES_MAX];
    uint64_t ran_ns[CANDIDATES_MAX];
};

static bool candidates_take(struct candidates *candidates)
{
    const struct thread *thread = NULL;
    candidates->count = 0;
    while ((thread = thread_next(thread)) != NULL) {
        if (atomic_load_explicit(&thread->python_state, memory_order_relaxed) == 0) {
            continue;
        }
        if (candidates->count == CANDIDATES_MAX) {
            return false;
        }
        candidates->threads[candidates->count++] = thread;
    }
    return candidates->count > 0;
}

static const struct thread *only_running(struct candidates *candidates)
{
    const struct thread *only = NULL;
    for (size_t i = 0; i < candidates->count; i++) {
        if (!thread_ran(candidates->threads[i], &candidates->ran_ns[i])) {
            return NULL;
        }
    }
    for (size_t i = 0; i < candidates->count; i++) {
        uint64_t now_ns = 0;
        if (!thread_ran(candidates->threads[i], &now_ns) || (now_ns != candidates->ran_ns[i] && only != NULL)) {
            return NULL;
        }
        only = now_ns != candidates->ran_ns[i] ? candidates->threads[i] : only;
    }
    return only;
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
    struct candidates candidates;
    scratch->waits = pool != NULL && !is_at_work(thread, pool, scratch);
    if (pool == NULL || scratch->waits || !candidates_take(&candidates)) {
        return 0;
    }
    const struct thread *caller = candidates.count == 1 ? candidates.threads[0] : only_running(&candidates);
    return caller != NULL ? context_of(caller, scratch) : 0;
}
