/*
 * The same of LLVM's and Intel's OpenMP (openmp/runtime/src/kmp_csupport.cpp): a region's variables follow the three fixed
 * arguments, `count` pointers, and are passed on as they came.
 */
#include <stdarg.h>
#include <stdint.h>

#include "launch/caller_real.h"
#include "launch/launch.h"
#include "real.h"

#define IN_REGISTERS 3 /* of the variables: what follows lies on the stack (System V ABI, x86-64) */

/* Calls real(where, count, microtask, variables[0], ..., variables[count - 1]); three of them at least can be read. */
void launch_fork_call(void *real, void *where, int32_t count, void *microtask, void **variables);

__asm__(".text\n"
        ".p2align 4\n"
        ".globl launch_fork_call\n"
        ".hidden launch_fork_call\n"
        ".type launch_fork_call, @function\n"
        "launch_fork_call:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    movq %rdi, %r11\n"
        "    movq %r8, %r10\n"
        "    movslq %edx, %rax\n"
        "    subq $3, %rax\n"
        "    jle 3f\n"
        "    testb $1, %al\n"
        "    jz 2f\n"
        "    subq $8, %rsp\n"
        "2:  pushq 16(%r10,%rax,8)\n"
        "    decq %rax\n"
        "    jnz 2b\n"
        "3:  movq %rsi, %rdi\n"
        "    movl %edx, %esi\n"
        "    movq %rcx, %rdx\n"
        "    movq (%r10), %rcx\n"
        "    movq 8(%r10), %r8\n"
        "    movq 16(%r10), %r9\n"
        "    xorl %eax, %eax\n"
        "    call *%r11\n"
        "    leave\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size launch_fork_call, . - launch_fork_call\n");

INTERPOSED void __kmpc_fork_call(void *where, int32_t count, void *microtask, ...);
INTERPOSED void __kmpc_fork_call(void *where, int32_t count, void *microtask, ...)
{
    static struct caller_real known = {.name = "__kmpc_fork_call"};
    void *real = caller_real_find(&known, __builtin_return_address(0));
    int32_t room = count > IN_REGISTERS ? count : IN_REGISTERS;
    void **variables = __builtin_alloca((size_t)room * sizeof *variables);
    va_list given;
    va_start(given, microtask);
    for (int32_t i = 0; i < room; i++) {
        variables[i] = i < count ? va_arg(given, void *) : NULL;
    }
    va_end(given);
    struct launch *launch = launch_begin(LAUNCH_LLVM);
    launch_fork_call(real, where, count, microtask, variables);
    launch_end(launch);
}

INTERPOSED void __kmpc_fork_call_if(void *where, int32_t count, void *microtask, int32_t condition, void *variables);
INTERPOSED void __kmpc_fork_call_if(void *where, int32_t count, void *microtask, int32_t condition, void *variables)
{
    static struct caller_real known = {.name = "__kmpc_fork_call_if"};
    __typeof__(&__kmpc_fork_call_if) real =
        (__typeof__(&__kmpc_fork_call_if))caller_real_find(&known, __builtin_return_address(0));
    struct launch *launch = launch_begin(LAUNCH_LLVM);
    real(where, count, microtask, condition, variables);
    launch_end(launch);
}
