/*
 * The same of LLVM's and Intel's OpenMP (openmp/runtime/src/kmp_csupport.cpp): a region's variables follow the three fixed
 * arguments, `count` pointers, and are passed on as they came. That runtime has one pool for all: which of several launchers a
 * worker serves, it is told by an argument of ours before them.
 */
#include <stdarg.h>
#include <stdint.h>

#include "launch/caller_real.h"
#include "launch/launch.h"
#include "real.h"

#define IN_REGISTERS 6 /* arguments: what follows lies on the stack (System V ABI, x86-64) */
#define FORK_WORDS 3   /* where, count, microtask */
#define TASK_WORDS 2   /* a microtask's own two, before the variables */

/* Calls function(words[0], ..., words[count - 1]); six of them at least can be read. */
void launch_call(void *function, void *const *words, int64_t count);

__asm__(".text\n"
        ".p2align 4\n"
        ".globl launch_call\n"
        ".hidden launch_call\n"
        ".type launch_call, @function\n"
        "launch_call:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    movq %rdi, %r11\n"
        "    movq %rsi, %r10\n"
        "    movq %rdx, %rax\n"
        "    subq $6, %rax\n"
        "    jle 3f\n"
        "    testb $1, %al\n"
        "    jz 2f\n"
        "    subq $8, %rsp\n"
        "2:  pushq 40(%r10,%rax,8)\n"
        "    decq %rax\n"
        "    jnz 2b\n"
        "3:  movq (%r10), %rdi\n"
        "    movq 8(%r10), %rsi\n"
        "    movq 16(%r10), %rdx\n"
        "    movq 24(%r10), %rcx\n"
        "    movq 32(%r10), %r8\n"
        "    movq 40(%r10), %r9\n"
        "    xorl %eax, %eax\n"
        "    call *%r11\n"
        "    leave\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size launch_call, . - launch_call\n");

/* What a region's threads run instead of its microtask, with one variable more, the first. It lives as long as the region. */
struct region {
    struct launch_work work;
    void *microtask;
    int32_t count;   /* its variables */
    void *variables; /* those of __kmpc_fork_call_if */
};

static void take_variables(void **to, int32_t count, va_list given)
{
    for (int32_t i = 0; i < count; i++) {
        to[i] = va_arg(given, void *);
    }
}

static size_t room_for(size_t words)
{
    return words > IN_REGISTERS ? words : IN_REGISTERS;
}

/* On each thread of the team: says for whom it works, then does. */
static void region_run(void *global_id, void *bound_id, struct region *region, ...)
{
    size_t count = TASK_WORDS + (size_t)region->count;
    void **words = __builtin_alloca(room_for(count) * sizeof *words);
    words[0] = global_id;
    words[1] = bound_id;
    va_list given;
    va_start(given, region);
    take_variables(words + TASK_WORDS, region->count, given);
    va_end(given);
    launch_serve(&region->work);
    launch_call(region->microtask, words, (int64_t)count);
}

static void region_run_if(void *global_id, void *bound_id, struct region *region)
{
    launch_serve(&region->work);
    ((void (*)(void *, void *, void *))region->microtask)(global_id, bound_id, region->variables);
}

/*
 * An address in the library whose region this is. A microtask lies there; the return address lies with whoever called, which
 * is launch_call() where a microtask's last call begins an inner region. The runtime begins those of __kmpc_fork_call_if so, too.
 */
static void *library_of(void *microtask, void *return_address)
{
    return microtask == (void *)region_run_if ? return_address : microtask;
}

INTERPOSED void __kmpc_fork_call(void *where, int32_t count, void *microtask, ...);
INTERPOSED void __kmpc_fork_call(void *where, int32_t count, void *microtask, ...)
{
    static struct caller_real known = {.name = "__kmpc_fork_call"};
    void *real = caller_real_find(&known, library_of(microtask, __builtin_return_address(0)));
    struct region region = {.microtask = microtask, .count = count};
    struct launch *launch = launch_begin(LAUNCH_LLVM);
    size_t more = launch_work_note(&region.work) ? 1 : 0, fixed = FORK_WORDS + more,
           words_count = fixed + (size_t)count;
    void **words = __builtin_alloca(room_for(words_count) * sizeof *words);
    words[0] = where;
    words[1] = (void *)((uintptr_t)(uint32_t)count + more);
    words[2] = more != 0 ? (void *)region_run : microtask;
    words[FORK_WORDS] = &region;
    va_list given;
    va_start(given, microtask);
    take_variables(words + fixed, count, given);
    va_end(given);
    launch_call(real, words, (int64_t)words_count);
    launch_end(launch);
}

INTERPOSED void __kmpc_fork_call_if(void *where, int32_t count, void *microtask, int32_t condition, void *variables);
INTERPOSED void __kmpc_fork_call_if(void *where, int32_t count, void *microtask, int32_t condition, void *variables)
{
    static struct caller_real known = {.name = "__kmpc_fork_call_if"};
    __typeof__(&__kmpc_fork_call_if) real = (__typeof__(&__kmpc_fork_call_if))caller_real_find(&known, microtask);
    struct region region = {.microtask = microtask, .variables = variables};
    struct launch *launch = launch_begin(LAUNCH_LLVM);
    /* Without variables the runtime hands on no argument. */
    if (variables != NULL && launch_work_note(&region.work)) {
        real(where, count, (void *)region_run_if, condition, &region);
    } else {
        real(where, count, microtask, condition, variables);
    }
    launch_end(launch);
}
