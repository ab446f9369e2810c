/*
 * What becomes of results after the call that made them: are they changed in place later, and how far out? A line whose results
 * are finished when its call returns can have them kept; one whose results are handed to a function that works in them cannot.
 * Asked of a few objects of each site that repeats itself or makes one value, at later births of their thread: those are where the thread's Python
 * stack is known anyway, the same ones in every run.
 */
#ifndef PIEPROF_PRELOAD_AFTERMATH_H
#define PIEPROF_PRELOAD_AFTERMATH_H

#include <stdint.h>

#include "objects/call_stack.h"
#include "objects/object_map.h"
#include "objects/sites.h"

/* A birth that is looked at, its origin's frame noted. Notes in the origin that it is asked. Behind the gate, outside handlers. */
void aftermath_born(struct call_stack *stack, struct site *site, uintptr_t start, struct object_origin *origin);

/* For aftermath_look(): which of the objects asked had frames move on. */
void aftermath_look_closer(struct call_stack *stack);

/* At each later birth of the thread, its stack refreshed. Behind the gate, outside handlers. */
static inline void aftermath_look(struct call_stack *stack)
{
    if (__builtin_expect(stack->asked_count > 0, 0)) {
        aftermath_look_closer(stack);
    }
}

/* Another's content takes its place in the same buffer: whether that is changed is what is asked from now on. */
void aftermath_overwritten(struct call_stack *stack, const struct object_origin *origin);

/* The end of an object that was asked; its content still stands at `start`, 0: nowhere. Only on the thread of its birth it tells anything. */
void aftermath_ended(struct call_stack *stack, struct site *site, const struct object *object, uintptr_t start);

#endif
