#include "objects/call_stack.h"

#include <string.h>

#include "memory.h"
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

static struct call_stack_place *place_of(struct call_stack *stack, const struct python_link *link)
{
    uint64_t hash = (link->instruction ^ link->frame << 1) * UINT64_C(0x9E3779B97F4A7C15);
    return &stack->places[hash >> 32 & (CALL_STACK_PLACES - 1)];
}

_Static_assert((CALL_STACK_PLACES & (CALL_STACK_PLACES - 1)) == 0, "place_of() takes a mask");

/*
 * Hashes of the level at `stack->depth`, whose link is set. While the frame outside stands in one call, its callee's words
 * mean what they meant: the same trust that same() puts in them. The outermost frame has nothing outside, and is resolved.
 */
static bool hash_level(struct call_stack *stack, struct call_stack_level *level,
                       bool (*resolve)(const struct python_link *link, struct python_frame *frame))
{
    uint64_t outer = stack->depth > 0 ? level[-1].generation : 0;
    struct call_stack_place *place = place_of(stack, &level->link);
    struct python_frame frame;
    if (outer != 0 && place->outer == outer && same(&place->link, &level->link)) {
        level->hash = place->hash;
        level->own_hash = place->own_hash;
        return true;
    }
    if (!resolve(&level->link, &frame)) {
        return false;
    }
    level->own_hash = mix(level->link.code, (uint32_t)frame.offset);
    level->hash = mix(stack->depth > 0 ? level[-1].hash : 0, (uint64_t)frame.code << 32 | (uint32_t)frame.offset);
    if (frame.code != 0) { /* 0 could not be recorded yet, and is tried again */
        *place = (struct call_stack_place){level->link, outer, level->hash, level->own_hash};
    }
    return true;
}

bool call_stack_update(struct call_stack *stack, size_t count,
                       bool (*resolve)(const struct python_link *link, struct python_frame *frame))
{
    size_t kept = 0;
    while (kept < count && kept < stack->depth && same(&stack->levels[kept].link, &stack->links[count - 1 - kept])) {
        kept++;
    }
    for (stack->depth = kept; stack->depth < count; stack->depth++) {
        struct call_stack_level *level = &stack->levels[stack->depth];
        level->link = stack->links[count - 1 - stack->depth];
        if (!hash_level(stack, level, resolve)) {
            return false;
        }
        level->generation = ++stack->generations;
    }
    return stack->depth > 0;
}

static void begin(struct call_stack *stack, pid_t tid)
{
    stack->tid = tid;
    stack->depth = 0;
    stack->generations = (uint64_t)tid << TID_SHIFT;
    stack->execution.generation = 0;
    memset(stack->places, 0, sizeof stack->places); /* a forked child numbers its code objects anew */
    stack->scratch.path.count = 0;
}

struct call_stack *call_stack_refresh(void)
{
    struct thread *thread = thread_self;
    if (thread == NULL) {
        return NULL;
    }
    if (thread->objects == NULL) {
        thread->objects = memory_map(sizeof *thread->objects);
    }
    struct call_stack *stack = thread->objects;
    if (stack == NULL) {
        return NULL;
    }
    if (stack->tid != thread->tid) {
        begin(stack, thread->tid);
    }
    size_t count = python_links(stack->links, PYTHON_DEPTH_MAX);
    return call_stack_update(stack, count, python_link_resolve) ? stack : NULL;
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
