/*
 * The Python stack of a thread as its objects see it: refreshed at each birth and death, it knows which frames have stood
 * at the same instruction ever since. A frame that was never seen elsewhere is still in the same native call.
 */
#ifndef PIEPROF_PRELOAD_CALL_STACK_H
#define PIEPROF_PRELOAD_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "stack/context.h"
#include "stack/python.h"

#define CALL_STACK_EQUALS_MAX 16u
#define CALL_STACK_PLACES 64u

struct call_stack_level {
    struct python_link link;
    uint64_t hash;       /* over this frame's code and offset and all outer ones */
    uint64_t own_hash;   /* over this frame's code object and offset alone: means the same in a forked child */
    uint64_t generation; /* unique in the process; new whenever the frame is seen at another instruction */
};

/* Allocations of one execution of the innermost frame's instruction, to number equal ones. */
struct call_stack_execution {
    uint64_t generation;
    uint32_t count;
    struct {
        uint64_t size_bytes;
        uint64_t place;
    } births[CALL_STACK_EQUALS_MAX];
};

/*
 * A place where a frame stood before, under a frame that has not moved since: a loop comes back to it, and need not have it
 * resolved again.
 */
struct call_stack_place {
    struct python_link link;
    uint64_t outer; /* generation of the frame outside; 0: unused */
    uint64_t hash, own_hash;
};

struct call_stack {
    pid_t tid; /* whose it is: structs are handed on from thread to thread */
    uint64_t generations;
    size_t depth;
    struct call_stack_execution execution;
    struct call_stack_place places[CALL_STACK_PLACES];
    struct call_stack_level levels[PYTHON_DEPTH_MAX]; /* outermost first */
    struct python_link links[PYTHON_DEPTH_MAX];
    struct context_scratch
        scratch; /* for contexts captured outside handlers: the thread's own may be in use by a search */
};

/* The calling thread's, refreshed; NULL when it has no Python frames, was not set up, or there is no memory. Behind the
 * gate, outside handlers. */
struct call_stack *call_stack_refresh(void);

static inline const struct call_stack_level *call_stack_innermost(const struct call_stack *stack)
{
    return &stack->levels[stack->depth - 1];
}

/* Has the frame that had this generation at this depth not moved since? */
static inline bool call_stack_holds(const struct call_stack *stack, size_t depth, uint64_t generation)
{
    return depth < stack->depth && stack->levels[depth].generation == generation;
}

/*
 * How many allocations of that size this execution of the innermost instruction has made before. `place` tells one native
 * caller from another: the same one again is taken for the next execution, for a loop may come back to the instruction
 * with nothing seen in between.
 */
uint32_t call_stack_ordinal(struct call_stack *stack, uint64_t size_bytes, uint64_t place);

/* For tests, and for call_stack_refresh(): takes over what a walk found, `count` links leaf first. False: unreadable. */
bool call_stack_update(struct call_stack *stack, size_t count,
                       bool (*resolve)(const struct python_link *link, struct python_frame *frame));

#endif
