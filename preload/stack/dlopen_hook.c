/*
 * dlopen, seen but not wrapped: the loader resolves RUNPATH and $ORIGIN by its caller's return address, so the hook must
 * leave by a jump and stay off the stack. It only notes that modules will change.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "chores.h"

void *dlopen_hook_resolve(void);

__attribute__((visibility("hidden"), used)) void *dlopen_hook_real;

/* Finds the next dlopen; on failure the jump would have no target, so a function that returns NULL stands in. */
static void *refuse(const char *path, int mode)
{
    (void)path, (void)mode;
    return NULL;
}

__attribute__((visibility("hidden"), used)) void *dlopen_hook_resolve(void)
{
    void *real = dlsym(RTLD_NEXT, "dlopen");
    if (real == NULL) {
        real = __extension__(void *) refuse;
    }
    __atomic_store_n(&dlopen_hook_real, real, __ATOMIC_RELAXED);
    return real;
}

_Static_assert(CHORE_MODULES == 2, "the hook below sets this bit");

__asm__(".text\n"
        ".globl dlopen\n"
        ".type dlopen, @function\n"
        ".p2align 4\n"
        "dlopen:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    lock orl $2, chores_wanted(%rip)\n"
        "    movq dlopen_hook_real(%rip), %rax\n"
        "    testq %rax, %rax\n"
        "    jz 1f\n"
        "    jmp *%rax\n"
        "1:  pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call dlopen_hook_resolve\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *%rax\n"
        "    .cfi_endproc\n"
        ".size dlopen, . - dlopen\n");
