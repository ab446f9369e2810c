/* pthread_create(3): each thread is set up before its start routine and torn down after it, however it ends. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "chores.h"
#include "gate.h"
#include "hooks_thread.h"
#include "memory.h"
#include "process.h"
#include "real.h"
#include "thread.h"

/* A signal frame with AVX-512 and AMX state takes 11 KiB of the thread's own stack, the sample some more. */
#define STACK_MIN_BYTES 262144u
#define SLAB_BYTES 4096u
#define POINTER_BITS 48u
#define POINTER_MASK ((UINT64_C(1) << POINTER_BITS) - 1)

/* What the new thread is to run, from the caller to the trampoline. */
struct start {
    void *(*routine)(void *);
    void *argument;
    struct launch_origin origin;
    struct start *next_free;
};

static _Atomic uint64_t free_head; /* as in thread.c: pointer and tag */
static pthread_key_t end_key;
static atomic_bool ready;

static void start_push(struct start *start)
{
    uint64_t head = atomic_load(&free_head), fresh;
    do {
        __atomic_store_n(&start->next_free, (struct start *)(uintptr_t)(head & POINTER_MASK), __ATOMIC_RELAXED);
        fresh = (((head >> POINTER_BITS) + 1) << POINTER_BITS) | (uint64_t)(uintptr_t)start;
    } while (!atomic_compare_exchange_weak(&free_head, &head, fresh));
}

static struct start *start_pop(void)
{
    uint64_t head = atomic_load(&free_head), fresh;
    struct start *start;
    do {
        start = (struct start *)(uintptr_t)(head & POINTER_MASK);
        if (start == NULL) {
            return NULL;
        }
        struct start *next = __atomic_load_n(&start->next_free, __ATOMIC_RELAXED);
        fresh = (((head >> POINTER_BITS) + 1) << POINTER_BITS) | (uint64_t)(uintptr_t)next;
    } while (!atomic_compare_exchange_weak(&free_head, &head, fresh));
    return start;
}

static struct start *start_claim(void)
{
    struct start *start = start_pop();
    if (start != NULL) {
        return start;
    }
    start = memory_map(SLAB_BYTES);
    for (size_t i = 1; start != NULL && i < SLAB_BYTES / sizeof *start; i++) {
        start_push(&start[i]);
    }
    return start;
}

/* Key destructor: runs at return, pthread_exit and cancellation alike. */
static void thread_ends(void *unused)
{
    (void)unused;
    if (gate_enter()) {
        thread_end();
        gate_leave();
    }
}

static void *trampoline(void *block)
{
    struct start start = *(struct start *)block;
    start_push(block);
    if (gate_enter()) {
        if (thread_begin(false) && pthread_setspecific(end_key, thread_self) != 0) {
            thread_end();
        }
        if (thread_self != NULL) {
            thread_self->origin = start.origin;
        }
        gate_leave();
    }
    return start.routine(start.argument);
}

bool hooks_thread_start(void)
{
    if (!atomic_load(&ready) && pthread_key_create(&end_key, thread_ends) == 0) {
        atomic_store(&ready, true);
    }
    return atomic_load(&ready);
}

static bool stack_is_tiny(const pthread_attr_t *attributes)
{
    size_t bytes;
    return attributes != NULL && pthread_attr_getstacksize(attributes, &bytes) == 0 && bytes < STACK_MIN_BYTES;
}

/* The block for a thread that is to be sampled, NULL for one that is not. */
static struct start *start_prepare(const pthread_attr_t *attributes, void *(*routine)(void *))
{
    if (!gate_enter()) {
        return NULL;
    }
    struct start *start = NULL;
    chores_poll();
    if (stack_is_tiny(attributes)) {
        process_drop(DB_DROP_THREAD_WITHOUT_CLOCK);
    } else if (hooks_thread_start()) {
        start = start_claim();
    }
    if (start != NULL) {
        launch_origin_take(&start->origin, routine);
    }
    gate_leave();
    return start;
}

INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                              void *argument)
{
    struct start *start = start_prepare(attributes, routine);
    if (start == NULL) {
        return REAL(pthread_create)(thread, attributes, routine, argument);
    }
    start->routine = routine;
    start->argument = argument;
    int status = REAL(pthread_create)(thread, attributes, trampoline, start);
    if (status != 0) {
        start_push(start);
    }
    return status;
}
