#include "objects/call_stack.h"

#include <string.h>

#include "hot.h"
#include "memory.h"
#include "stack/code_deaths.h"
#include "stack/python_trampoline.h"
#include "thread.h"

#define TID_SHIFT 40u /* generations of two threads never meet: process ids have 22 bits */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return hash ^ hash >> 32;
}

static bool same(const struct python_link *a, const struct python_link *b)
{
    return a->frame == b->frame && a->instruction == b->instruction && a->code == b->code;
}

static struct call_stack_place *place_of(struct call_stack *stack, const struct python_link *link, uint64_t outer)
{
    uint64_t hash = (link->instruction ^ link->frame << 1 ^ outer) * UINT64_C(0x9E3779B97F4A7C15);
    return &stack->places[hash >> 32 & (CALL_STACK_PLACES - 1)];
}

_Static_assert((CALL_STACK_PLACES & (CALL_STACK_PLACES - 1)) == 0, "place_of() takes a mask");

static struct python_link *held_at(struct call_stack *stack, size_t level)
{
    return &stack->held[PYTHON_DEPTH_MAX - 1 - level];
}

/* Word by word: a link was written so just now, and a wider load has to wait until these stores have come to the cache. */
static void hold(struct python_link *held, const struct python_link *link)
{
    __atomic_store_n(&held->frame, link->frame, __ATOMIC_RELAXED);
    __atomic_store_n(&held->code, link->code, __ATOMIC_RELAXED);
    __atomic_store_n(&held->instruction, link->instruction, __ATOMIC_RELAXED);
}

/* From the place where the frame stood before, under the same frames. The outermost one has none outside, and is resolved. */
static inline bool recall(struct call_stack_level *level, const struct python_link *link, uint64_t outer)
{
    const struct call_stack_place *place = level->place;
    if (outer == 0 || place->outer != outer || !same(&place->link, link)) {
        return false;
    }
    level->hash = place->hash;
    level->own_hash = place->own_hash;
    level->mark = place->mark;
    level->offset = place->offset;
    return true;
}

static OFF_HOT_PATH bool learn(struct call_stack_level *level, const struct python_link *link, uint64_t outer,
                               bool (*resolve)(const struct python_link *link, struct python_frame *frame))
{
    struct python_frame frame = {0};
    if (!resolve(link, &frame)) {
        return false;
    }
    level->mark = python_link_mark(link);
    level->own_hash = mix(frame.content, (uint32_t)frame.offset);
    level->offset = frame.offset;
    level->hash = mix(outer, level->own_hash);
    bool is_remembered = level->place->hash == level->hash && level->place->outer == outer &&
                         level->place->mark == level->mark && same(&level->place->link, link);
    if (frame.code != 0 && !is_remembered) { /* 0 could not be recorded yet, and is tried again */
        *level->place = (struct call_stack_place){.link = *link,
                                                  .outer = outer,
                                                  .hash = level->hash,
                                                  .own_hash = level->own_hash,
                                                  .mark = level->mark,
                                                  .offset = level->offset};
    }
    return true;
}

/* Of the levels as they were held, those that have the code that they had. */
static __attribute__((noinline, cold)) void review(struct call_stack *stack, uint64_t deaths)
{
    size_t depth = 0;
    memset(stack->places, 0, sizeof stack->places);
    while (depth < stack->depth && python_link_mark(held_at(stack, depth)) == stack->levels[depth].mark) {
        depth++;
    }
    stack->depth = depth;
    stack->deaths = deaths;
}

/* Word by word, as in hold(). */
static bool all_same(const struct python_link *links, const struct python_link *others, size_t count)
{
    while (count > 0 && same(links, others)) {
        links++, others++, count--;
    }
    return count == 0;
}

/* How many levels, from the outermost in, stand where they stood. Nearly always all that both stacks have but the last. */
static size_t count_kept(struct call_stack *stack, size_t count)
{
    size_t shared = count < stack->depth ? count : stack->depth;
    size_t outer = shared > 0 ? shared - 1 : 0;
    size_t kept = 0;
    if (all_same(&stack->links[count - outer], &stack->held[PYTHON_DEPTH_MAX - outer], outer)) {
        kept = outer;
    }
    while (kept < shared && same(held_at(stack, kept), &stack->links[count - 1 - kept])) {
        kept++;
    }
    return kept;
}

bool call_stack_update(struct call_stack *stack, size_t count,
                       bool (*resolve)(const struct python_link *link, struct python_frame *frame))
{
    uint64_t deaths = code_deaths();
    if (__builtin_expect(deaths != stack->deaths, 0)) {
        review(stack, deaths);
    }
    size_t depth = count_kept(stack, count);
    struct call_stack_level *level = &stack->levels[depth];
    const struct python_link *link = &stack->links[count - depth]; /* behind that of the level, as `held` is */
    struct python_link *held = &stack->held[PYTHON_DEPTH_MAX - depth];
    for (; depth < count; depth++, level++) {
        uint64_t outer = depth > 0 ? level[-1].hash : 0;
        hold(--held, --link);
        level->place = place_of(stack, link, outer);
        if (!recall(level, link, outer) && !learn(level, link, outer, resolve)) {
            break;
        }
        level->generation = ++stack->generations;
    }
    stack->depth = depth;
    return depth > 0 && depth == count;
}

static void begin(struct call_stack *stack, pid_t tid)
{
    stack->tid = tid;
    stack->depth = 0;
    stack->generations = (uint64_t)tid << TID_SHIFT;
    stack->execution.generation = 0;
    stack->deaths = code_deaths();
    stack->asked_count = 0;
    memset(stack->places, 0, sizeof stack->places); /* a forked child numbers its code objects anew */
    stack->scratch.path.count = 0;
}

/* Structs are handed on from thread to thread. NULL when there is no memory. */
static OFF_HOT_PATH struct call_stack *prepare(struct thread *thread)
{
    if (thread->objects == NULL) {
        thread->objects = memory_map(sizeof *thread->objects);
    }
    if (thread->objects != NULL) {
        begin(thread->objects, thread->tid);
    }
    return thread->objects;
}

struct call_stack *call_stack_refresh(void)
{
    struct thread *thread = thread_self;
    if (thread == NULL) {
        return NULL;
    }
    struct call_stack *stack = thread->objects;
    if (__builtin_expect(stack == NULL || stack->tid != thread->tid, 0) && (stack = prepare(thread)) == NULL) {
        return NULL;
    }
    const uintptr_t trampoline = python_trampoline();
    size_t count = python_links(stack->links, PYTHON_DEPTH_MAX);
    bool is_known = call_stack_update(stack, count, python_link_resolve);
    if (__builtin_expect(python_trampoline() != trampoline, 0)) { /* its first one was met just now, as a frame */
        count = python_links(stack->links, PYTHON_DEPTH_MAX);
        is_known = call_stack_update(stack, count, python_link_resolve);
    }
    return is_known ? stack : NULL;
}

OFF_HOT_PATH void call_stack_count_anew(struct call_stack_counted *counted, uint64_t hash)
{
    uint32_t most = 0;
    for (size_t way = 0; way < CALL_STACK_COUNTED_WAYS; way++) {
        most = counted->ways[way].executions > most ? counted->ways[way].executions : most;
    }
    memmove(&counted->ways[1], &counted->ways[0], (CALL_STACK_COUNTED_WAYS - 1) * sizeof counted->ways[0]);
    counted->ways[0].hash = hash;
    counted->ways[0].executions = most + 1;
}

uint32_t call_stack_ordinal(struct call_stack *stack, uint64_t size_bytes, uint64_t place)
{
    struct call_stack_execution *execution = &stack->execution;
    uint64_t generation = call_stack_innermost(stack)->generation;
    uint32_t ordinal = 0;
    if (execution->generation != generation) {
        execution->generation = generation;
        execution->count = 0;
    }
    for (uint32_t i = 0; i < execution->count; i++) {
        if (execution->births[i].size_bytes != size_bytes) {
            continue;
        }
        if (execution->births[i].place == place) {
            execution->count = ordinal = 0;
            break;
        }
        ordinal++;
    }
    if (execution->count < CALL_STACK_EQUALS_MAX) {
        execution->births[execution->count].size_bytes = size_bytes;
        execution->births[execution->count].place = place;
        execution->count++;
    }
    return ordinal;
}
