#include "thread.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "access/access.h"
#include "kernel.h"
#include "memory.h"
#include "objects/lifetime.h"
#include "process.h"
#include "signals.h"
#include "time/counters.h"
#include "time/sample.h"
#include "time/triggers.h"

/* Structs come from slabs that are never unmapped: a handler may still look at one, and the next thread takes it. */
#define SLAB_BYTES 4096u
#define SLAB_THREADS ((SLAB_BYTES - sizeof(struct slab *)) / sizeof(struct thread))

struct slab {
    struct slab *next;
    struct thread threads[];
};

/* Head of the free list: the pointer, and in its unused upper 16 bits a tag against ABA. */
#define POINTER_BITS 48u
#define POINTER_MASK ((UINT64_C(1) << POINTER_BITS) - 1)

static _Atomic uint64_t free_head;
static _Atomic(struct slab *) slabs;

SHIM_THREAD_LOCAL struct thread *thread_self;

static uint64_t head_with(uint64_t old_head, const struct thread *thread)
{
    return (((old_head >> POINTER_BITS) + 1) << POINTER_BITS) | (uint64_t)(uintptr_t)thread;
}

static void free_push(struct thread *thread)
{
    uint64_t head = atomic_load(&free_head);
    do {
        __atomic_store_n(&thread->next_free, (struct thread *)(uintptr_t)(head & POINTER_MASK), __ATOMIC_RELAXED);
    } while (!atomic_compare_exchange_weak(&free_head, &head, head_with(head, thread)));
}

static struct thread *free_pop(void)
{
    uint64_t head = atomic_load(&free_head);
    struct thread *thread;
    do {
        thread = (struct thread *)(uintptr_t)(head & POINTER_MASK);
        if (thread == NULL) {
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&free_head, &head,
                                           head_with(head, __atomic_load_n(&thread->next_free, __ATOMIC_RELAXED))));
    return thread;
}

/* A new slab: its first thread is the caller's, the others go to the free list. */
static struct thread *slab_add(void)
{
    struct slab *slab = memory_map(SLAB_BYTES);
    if (slab == NULL) {
        return NULL;
    }
    slab->next = atomic_load(&slabs);
    while (!atomic_compare_exchange_weak(&slabs, &slab->next, slab)) {
    }
    for (size_t i = 1; i < SLAB_THREADS; i++) {
        free_push(&slab->threads[i]);
    }
    return &slab->threads[0];
}

static struct thread *thread_claim(void)
{
    struct thread *thread = free_pop();
    if (thread == NULL) {
        thread = slab_add();
    }
    if (thread != NULL && thread->scratch == NULL) {
        thread->scratch = memory_map(sizeof *thread->scratch);
        if (thread->scratch == NULL) {
            free_push(thread);
            return NULL;
        }
    }
    return thread;
}

static void thread_release(struct thread *thread)
{
    atomic_store(&thread->in_use, false);
    free_push(thread);
}

/* The clock drives the time engine and the access engine. */
static bool clock_start(struct thread *thread)
{
    if (thread->paused) {
        return true;
    }
    bool wanted = process_record->engines[DB_ENGINE_TIME].state == DB_ENGINE_ON ||
                  process_record->engines[DB_ENGINE_ACCESS].state == DB_ENGINE_ON;
    if (!wanted || trigger_current == NULL) {
        return true;
    }
    thread->due_ns = 0;
    thread->first_tick_ns = trigger_current->first_tick != NULL ? trigger_draw_first_ns() : 0;
    return trigger_current->thread_begin(thread);
}

static void clock_stop(struct thread *thread)
{
    if (trigger_current != NULL && !thread->paused) {
        trigger_current->thread_end(thread);
    }
}

static void access_stop(struct thread *thread)
{
    if (thread->access != NULL) {
        access_thread_end(thread);
        thread->access = NULL;
    }
}

/* A vfork child runs on its parent's memory, this struct included, but is another thread to the kernel. */
static struct thread *thread_own(void)
{
    struct thread *thread = thread_self;
    return thread != NULL && thread->tid == (pid_t)syscall(SYS_gettid) ? thread : NULL;
}

/* The program closed descriptors that it did not know, the clock's among them: all of this thread's are opened anew. */
static void reopen_closed(struct thread *thread)
{
    if (thread->clock_descriptor >= 0 && !thread_event_is_ours(thread->clock_descriptor)) {
        thread_events_move_up();
        clock_stop(thread);
        access_stop(thread);
        if (!clock_start(thread)) {
            process_drop(DB_DROP_THREAD_WITHOUT_CLOCK);
        }
    }
}

void thread_prepare(void)
{
    struct thread *thread = thread_own();
    if (thread == NULL || thread->paused) {
        return;
    }
    reopen_closed(thread);
    if (process_record->engines[DB_ENGINE_ACCESS].state == DB_ENGINE_ON) {
        access_thread_begin(thread);
    }
}

void thread_pause(void)
{
    struct thread *thread = thread_own();
    if (thread != NULL && !thread->paused && trigger_current != &trigger_papi) {
        clock_stop(thread);
        access_stop(thread);
        thread->paused = true;
        thread->fresh = false;
    }
}

void thread_resume(void)
{
    struct thread *thread = thread_own();
    if (thread != NULL && thread->paused) {
        thread->paused = false;
        thread_prepare();
        if (!clock_start(thread)) {
            process_drop(DB_DROP_THREAD_WITHOUT_CLOCK);
        }
    }
}

/* The struct after `thread` in its slab, or the first of the next slab, in use or not; NULL at the end. */
static const struct thread *struct_next(const struct thread *thread)
{
    const struct slab *slab = atomic_load(&slabs);
    if (thread == NULL) {
        return slab != NULL ? &slab->threads[0] : NULL;
    }
    while (slab != NULL && (thread < slab->threads || thread >= slab->threads + SLAB_THREADS)) {
        slab = slab->next;
    }
    if (slab != NULL && thread + 1 < slab->threads + SLAB_THREADS) {
        return thread + 1;
    }
    return slab != NULL && slab->next != NULL ? &slab->next->threads[0] : NULL;
}

const struct thread *thread_next(const struct thread *thread)
{
    do {
        thread = struct_next(thread);
    } while (thread != NULL && !atomic_load(&thread->in_use));
    return thread;
}

unsigned thread_count(void)
{
    unsigned count = 0;
    for (struct slab *slab = atomic_load(&slabs); slab != NULL; slab = slab->next) {
        for (size_t i = 0; i < SLAB_THREADS; i++) {
            count += atomic_load(&slab->threads[i].in_use);
        }
    }
    return count;
}

bool thread_begin(bool main)
{
    if (thread_self != NULL) {
        return true;
    }
    struct thread *thread = thread_claim();
    if (thread == NULL) {
        process_drop(DB_DROP_THREAD_WITHOUT_CLOCK);
        return false;
    }
    thread->tid = (pid_t)syscall(SYS_gettid);
    thread->main = main;
    thread->clock_descriptor = -1;
    thread->clock_page = NULL;
    thread->timer = NULL;
    thread->paused = trigger_current != &trigger_papi && signals_sampling_blocked();
    thread->faults_blocked = signals_faults_blocked();
    thread->fresh = !thread->paused;
    thread->sample_node = 0;
    thread->credit_ns = 0;
    thread->serial++;
    thread->python_state = 0;
    thread->ticked_ns = 0;
    thread->launch = (struct launch){0};
    thread->service = (struct launch_service){0};
    thread->origin = (struct launch_origin){0};
    atomic_store(&thread->in_use, true);
    thread_self = thread;
    thread_prepare();
    counters_thread_begin(thread);
    process_count(&process_record->threads, 1);
    if (!clock_start(thread)) {
        process_drop(DB_DROP_THREAD_WITHOUT_CLOCK);
        thread_end();
        return false;
    }
    thread->cpu_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID); /* what the set-up cost is nobody's line's */
    thread->began_ns = thread->cpu_ns;
    return true;
}

void thread_end(void)
{
    struct thread *thread = thread_self;
    if (thread == NULL) {
        return;
    }
    clock_stop(thread);
    sample_end(thread);
    counters_thread_end(thread);
    access_stop(thread);
    lifetime_flush();
    thread_self = NULL;
    thread_release(thread);
}

static void thread_forget(struct thread *thread)
{
    if (trigger_current != NULL) {
        trigger_current->thread_forget(thread);
    }
    if (thread->access != NULL) {
        access_thread_forget(thread);
        thread->access = NULL;
    }
    thread_release(thread);
}

void thread_reset_child(void)
{
    for (struct slab *slab = atomic_load(&slabs); slab != NULL; slab = slab->next) {
        for (size_t i = 0; i < SLAB_THREADS; i++) {
            if (atomic_load(&slab->threads[i].in_use)) {
                thread_forget(&slab->threads[i]);
            }
        }
    }
    thread_self = NULL;
    counters_reset_child();
}

/* What one other thread's clock says: the kernel brings it up to date, also when that thread runs on another processor. */
static bool clock_read(const struct thread *thread, uint64_t *ran_ns)
{
    return !thread->paused && thread_event_is_ours(thread->clock_descriptor) &&
           kernel_read(thread->clock_descriptor, ran_ns, sizeof *ran_ns) == (ssize_t)sizeof *ran_ns;
}

bool thread_others_equal(const struct thread_others *a, const struct thread_others *b)
{
    return a->ran_ns == b->ran_ns && a->begun == b->begun && a->threads == b->threads;
}

bool thread_others_ran(struct thread_others *others)
{
    *others = (struct thread_others){.begun = __atomic_load_n(&process_record->threads, __ATOMIC_RELAXED)};
    if (__atomic_load_n(&process_record->dropped[DB_DROP_THREAD_WITHOUT_CLOCK], __ATOMIC_RELAXED) > 0) {
        return false;
    }
    for (struct slab *slab = atomic_load(&slabs); slab != NULL; slab = slab->next) {
        for (size_t i = 0; i < SLAB_THREADS; i++) {
            const struct thread *thread = &slab->threads[i];
            uint64_t ran_ns;
            if (thread == thread_self || !atomic_load(&thread->in_use)) {
                continue;
            }
            if (++others->threads > THREAD_OTHERS_MAX || !clock_read(thread, &ran_ns)) {
                return false;
            }
            others->ran_ns += ran_ns;
        }
    }
    return true;
}
