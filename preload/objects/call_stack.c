#include "objects/call_stack.h"

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

bool call_stack_update(struct call_stack *stack, size_t count,
                       bool (*resolve)(const struct python_link *link, struct python_frame *frame))
{
    size_t kept = 0;
    while (kept < count && kept < stack->depth && same(&stack->levels[kept].link, &stack->links[count - 1 - kept])) {
        kept++;
    }
    for (stack->depth = kept; stack->depth < count; stack->depth++) {
        const struct python_link *link = &stack->links[count - 1 - stack->depth];
        struct call_stack_level *level = &stack->levels[stack->depth];
        uint64_t outer = stack->depth > 0 ? level[-1].hash : 0;
        struct python_frame frame;
        if (!resolve(link, &frame)) {
            return false;
        }
        level->link = *link;
        level->own_hash = mix(link->code, (uint32_t)frame.offset);
        level->hash = mix(outer, (uint64_t)frame.code << 32 | (uint32_t)frame.offset);
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
