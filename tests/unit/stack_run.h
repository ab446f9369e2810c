/* A Python stack as objects see it, put together by hand. */
#ifndef PIEPROF_TESTS_STACK_RUN_H
#define PIEPROF_TESTS_STACK_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "objects/call_stack.h"

static struct call_stack *stack;

/* A code object's address and the instruction's stand for themselves; an odd instruction is unreadable. */
static unsigned resolved;

static bool resolve(const struct python_link *link, struct python_frame *frame)
{
    resolved++;
    frame->code = (uint32_t)link->code;
    frame->content = link->code;
    frame->offset = (int32_t)link->instruction;
    return link->instruction % 2 == 0;
}

/* Frames outermost first, as "frame code instruction" digits: "110 220" is frame 1 in code 1 at 0, above it frame 2. */
static bool see(const char *text)
{
    size_t count = (strlen(text) + 1) / 4;
    for (size_t i = 0; i < count; i++) {
        const char *frame = text + 4 * i;
        stack->links[count - 1 - i] = (struct python_link){.frame = (uintptr_t)(frame[0] - '0'),
                                                           .code = (uintptr_t)(frame[1] - '0'),
                                                           .instruction = (uintptr_t)(frame[2] - '0')};
    }
    return call_stack_update(stack, count, resolve);
}

static int stack_run_begin(void **state)
{
    (void)state;
    stack = aligned_alloc(_Alignof(struct call_stack), sizeof *stack);
    if (stack == NULL) {
        return -1;
    }
    memset(stack, 0, sizeof *stack);
    return 0;
}

static int stack_run_end(void **state)
{
    (void)state;
    free(stack);
    return 0;
}

#endif
