#include "launch/launch.h"

#include "gate.h"
#include "launch/adopt.h"
#include "pieprof/db.h"
#include "stack/context.h"
#include "stack/module.h"
#include "stack/python_probe.h"
#include "thread.h"

#define NESTING_MAX 4u /* regions within regions, each on other threads */

struct launch *launch_begin(enum launch_runtime runtime)
{
    if (!gate_enter()) {
        return NULL;
    }
    struct launch *launch = thread_self != NULL ? &thread_self->launch : NULL;
    uint32_t epoch = launch != NULL ? atomic_load_explicit(&launch->epoch, memory_order_relaxed) : 1;
    if (epoch % 2 != 0) {
        launch = NULL;
    } else {
        atomic_thread_fence(memory_order_release); /* who sees the new frame sees that the last epoch is over */
        atomic_store_explicit(&launch->frame, python_top_frame(), memory_order_relaxed);
        atomic_store_explicit(&launch->runtime, (uint32_t)runtime, memory_order_relaxed);
        atomic_store_explicit(&launch->noted, false, memory_order_relaxed);
        atomic_store_explicit(&launch->epoch, epoch + 1, memory_order_release);
    }
    gate_leave();
    return launch;
}

/* In a child that was forked within a region the thread is another one by now. */
void launch_end(struct launch *launch)
{
    if (launch != NULL && thread_self != NULL && launch == &thread_self->launch) {
        uint32_t epoch = atomic_load_explicit(&launch->epoch, memory_order_relaxed);
        atomic_store_explicit(&launch->epoch, epoch + epoch % 2, memory_order_release);
    }
}

bool launch_work_note(struct launch_work *work)
{
    struct thread *self = thread_self;
    uint32_t epoch = self != NULL ? atomic_load_explicit(&self->launch.epoch, memory_order_relaxed) : 0;
    if (epoch % 2 == 0) {
        return false;
    }
    *work = (struct launch_work){.launcher = self, .serial = self->serial, .epoch = epoch};
    atomic_store_explicit(&self->launch.noted, true, memory_order_relaxed);
    return true;
}

void launch_serve(const struct launch_work *work)
{
    struct thread *self = thread_self;
    if (self == NULL || self == work->launcher) {
        return;
    }
    struct launch_service *service = &self->service;
    atomic_store(&service->epoch, 0);
    atomic_store_explicit(&service->launcher, work->launcher, memory_order_relaxed);
    atomic_store_explicit(&service->serial, work->serial, memory_order_relaxed);
    atomic_store_explicit(&service->epoch, work->epoch, memory_order_release);
}

void launch_origin_take(struct launch_origin *origin, void *(*routine)(void *))
{
    struct thread *creator = thread_self;
    *origin = (struct launch_origin){.routine = routine, .creator = creator};
    if (creator == NULL) {
        return;
    }
    origin->creator_serial = creator->serial;
    if (atomic_load_explicit(&creator->launch.epoch, memory_order_relaxed) % 2 != 0) {
        origin->runtime = atomic_load_explicit(&creator->launch.runtime, memory_order_relaxed);
        return;
    }
    origin->state = python_this_state();
    if (origin->state != 0 && python_top_of(origin->state, &origin->top)) {
        origin->node = context_intern_frames(creator->scratch, DB_ROOT_WORKER, python_top_frame());
    }
}

static bool thread_lives(const struct thread *thread, uint32_t serial)
{
    return thread != NULL && atomic_load(&thread->in_use) && thread->serial == serial;
}

static bool creator_lives(const struct launch_origin *origin)
{
    return thread_lives(origin->creator, origin->creator_serial);
}

static bool in_region(const struct thread *thread)
{
    return atomic_load_explicit(&thread->launch.epoch, memory_order_acquire) % 2 != 0;
}

/* Those who work for it are not known by themselves. */
static bool in_silent_region(const struct thread *thread)
{
    return in_region(thread) && !atomic_load_explicit(&thread->launch.noted, memory_order_relaxed);
}

/* The only thread that is in such a region of that runtime; NULL when none is, or several are. */
static const struct thread *only_launcher(enum launch_runtime runtime)
{
    const struct thread *only = NULL, *thread = NULL;
    while ((thread = thread_next(thread)) != NULL) {
        if (in_silent_region(thread) && atomic_load(&thread->launch.runtime) == (uint32_t)runtime) {
            if (only != NULL) {
                return NULL;
            }
            only = thread;
        }
    }
    return only;
}

/* Whom the thread said to serve; NULL: nobody, or that region is over. */
static const struct thread *served_by(const struct launch_service *service)
{
    uint32_t epoch = atomic_load_explicit(&service->epoch, memory_order_acquire);
    const struct thread *launcher = atomic_load_explicit(&service->launcher, memory_order_relaxed);
    uint32_t serial = atomic_load_explicit(&service->serial, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    bool whole = epoch % 2 != 0 && atomic_load_explicit(&service->epoch, memory_order_relaxed) == epoch;
    return whole && thread_lives(launcher, serial) && atomic_load(&launcher->launch.epoch) == epoch ? launcher : NULL;
}

/* The thread in whose region `thread`, a worker, works; NULL: in none. */
static const struct thread *launcher_of(const struct thread *thread)
{
    const struct launch_origin *origin = &thread->origin;
    const struct thread *served = served_by(&thread->service);
    if (served != NULL) {
        return served;
    }
    if (creator_lives(origin) && in_silent_region(origin->creator)) {
        return origin->creator;
    }
    return origin->runtime == LAUNCH_LLVM ? only_launcher(LAUNCH_LLVM) : NULL;
}

bool launch_waits(const struct thread *thread)
{
    return thread->origin.runtime != LAUNCH_NONE && launcher_of(thread) == NULL;
}

uint32_t launch_region(const struct thread *thread)
{
    const struct thread *launcher = thread->origin.runtime != LAUNCH_NONE ? launcher_of(thread) : NULL;
    return launcher != NULL ? atomic_load_explicit(&launcher->launch.epoch, memory_order_relaxed) : 0;
}

/* The context of the region that `launcher` is in; 0 when it ends meanwhile. */
static uint32_t region_context(struct launch *launch, struct context_scratch *scratch)
{
    uint32_t epoch = atomic_load_explicit(&launch->epoch, memory_order_acquire);
    uintptr_t frame = atomic_load_explicit(&launch->frame, memory_order_relaxed);
    uint64_t known = atomic_load_explicit(&launch->known, memory_order_relaxed);
    if (epoch % 2 == 0 || frame == 0) {
        return 0;
    }
    if (known >> 32 == epoch) {
        return (uint32_t)known;
    }
    uint32_t node = context_intern_frames(scratch, DB_ROOT_WORKER, frame);
    atomic_thread_fence(memory_order_acquire);
    if (node == 0 || atomic_load_explicit(&launch->epoch, memory_order_relaxed) != epoch) {
        return 0;
    }
    atomic_store_explicit(&launch->known, (uint64_t)epoch << 32 | node, memory_order_relaxed);
    return node;
}

/* A worker that launches a region itself works for whom it works for. */
static uint32_t launcher_context(const struct thread *worker, struct context_scratch *scratch)
{
    for (unsigned depth = 0; depth < NESTING_MAX; depth++) {
        struct thread *launcher = (struct thread *)(uintptr_t)launcher_of(worker);
        if (launcher == NULL) {
            return 0;
        }
        uint32_t node = region_context(&launcher->launch, scratch);
        if (node != 0 || launcher->origin.runtime == LAUNCH_NONE) {
            return node;
        }
        worker = launcher;
    }
    return 0;
}

static bool creator_stands_still(const struct launch_origin *origin)
{
    struct python_top now;
    return creator_lives(origin) && python_top_of(origin->state, &now) && now.frame == origin->top.frame &&
           now.instruction == origin->top.instruction;
}

void launch_find(const struct thread *thread, struct context_scratch *scratch)
{
    const struct launch_origin *origin = &thread->origin;
    scratch->launched = 0;
    scratch->pooled = true;
    if (origin->runtime != LAUNCH_NONE) {
        scratch->launched = launcher_context(thread, scratch);
    } else if (origin->node != 0 && creator_stands_still(origin)) {
        scratch->launched = origin->node;
        scratch->pooled = false;
    } else {
        scratch->launched = adopt_find(thread, scratch);
    }
}
