/* Stacks that are no thread's: ucontext coroutines, and long jumps over many frames. */
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t main_context, coroutine_context;
static volatile long turns;

static void coroutine(void)
{
    for (;;) {
        volatile double work = 1;
        for (int i = 0; i < 50; i++) {
            work = work * 1.5 + 1;
        }
        turns++;
        swapcontext(&coroutine_context, &main_context);
    }
}

int swap_contexts(int count)
{
    size_t bytes = 65536;
    char *stack = malloc(bytes);
    getcontext(&coroutine_context);
    coroutine_context.uc_stack.ss_sp = stack;
    coroutine_context.uc_stack.ss_size = bytes;
    coroutine_context.uc_link = NULL;
    makecontext(&coroutine_context, coroutine, 0);
    for (int i = 0; i < count; i++) {
        swapcontext(&main_context, &coroutine_context);
    }
    free(stack);
    return (int)turns;
}

static jmp_buf back;

static void descend(int depth)
{
    volatile char pad[64];
    pad[0] = (char)depth;
    if (depth == 0) {
        longjmp(back, 1);
    }
    descend(depth - 1);
    pad[1] = pad[0];
}

int jump_back(int count)
{
    volatile int jumps = 0;
    while (jumps < count) {
        if (setjmp(back) == 0) {
            descend(20);
        } else {
            jumps = jumps + 1;
        }
    }
    return jumps;
}
