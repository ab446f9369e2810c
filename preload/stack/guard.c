#include "stack/guard.h"

/*
 * All routines are leaves that push nothing and return at the caller's address, so their failure exit (return 0) is
 * right from any instruction between guard_range_low and guard_range_high: the handler only replaces RIP.
 */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl guard_word\n"
        ".hidden guard_word\n"
        ".type guard_word, @function\n"
        "guard_word:\n"
        "    .cfi_startproc\n"
        "    .globl guard_range_low\n    .hidden guard_range_low\n"
        "guard_range_low:\n"
        "    movq (%rsi), %rax\n"
        "    movq %rax, (%rdi)\n"
        "    movl $1, %eax\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size guard_word, . - guard_word\n"
        ".p2align 4\n"
        ".globl guard_chain\n"
        ".hidden guard_chain\n"
        ".type guard_chain, @function\n"
        "guard_chain:\n"
        "    .cfi_startproc\n"
        "    xorl %eax, %eax\n"
        "    jmp 6f\n"
        "5:  movq (%rdx), %r8\n"
        "    movq (%rsi,%r8), %r9\n"
        "    movq 8(%rdx), %r8\n"
        "    movq (%rsi,%r8), %r10\n"
        "    movq 24(%rdx), %r8\n"
        "    movzbl (%rsi,%r8), %r11d\n"
        "    movq 16(%rdx), %r8\n"
        "    movq (%rsi,%r8), %r8\n"
        "    cmpq %rsi, %r8\n"
        "    je guard_range_high\n"
        "    cmpl 32(%rdx), %r11d\n"
        "    jae 7f\n"
        "    movq %rsi, (%rdi)\n"
        "    movq %r9, 8(%rdi)\n"
        "    movq %r10, 16(%rdi)\n"
        "    addq $24, %rdi\n"
        "    incq %rax\n"
        "7:  movq %r8, %rsi\n"
        "6:  testq %rsi, %rsi\n"
        "    jz 8f\n"
        "    cmpq %rcx, %rax\n"
        "    jb 5b\n"
        "8:  ret\n"
        "    .cfi_endproc\n"
        ".size guard_chain, . - guard_chain\n"
        ".p2align 4\n"
        ".globl guard_copy\n"
        ".hidden guard_copy\n"
        ".type guard_copy, @function\n"
        "guard_copy:\n"
        "    .cfi_startproc\n"
        "    cmpq $8, %rdx\n"
        "    jb 2f\n"
        "1:  movq (%rsi), %rax\n"
        "    movq %rax, (%rdi)\n"
        "    addq $8, %rsi\n"
        "    addq $8, %rdi\n"
        "    subq $8, %rdx\n"
        "    cmpq $8, %rdx\n"
        "    jae 1b\n"
        "2:  testq %rdx, %rdx\n"
        "    jz 4f\n"
        "3:  movb (%rsi), %al\n"
        "    movb %al, (%rdi)\n"
        "    incq %rsi\n"
        "    incq %rdi\n"
        "    decq %rdx\n"
        "    jnz 3b\n"
        "4:  movl $1, %eax\n"
        "    ret\n"
        "    .globl guard_range_high\n    .hidden guard_range_high\n"
        "guard_range_high:\n"
        "    xorl %eax, %eax\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size guard_copy, . - guard_copy\n");

extern const char guard_range_low[] __attribute__((visibility("hidden")));
extern const char guard_range_high[] __attribute__((visibility("hidden")));

bool guard_recover(ucontext_t *context)
{
    greg_t *instruction = &context->uc_mcontext.gregs[REG_RIP];
    if ((uintptr_t)*instruction < (uintptr_t)guard_range_low ||
        (uintptr_t)*instruction >= (uintptr_t)guard_range_high) {
        return false;
    }
    *instruction = (greg_t)(uintptr_t)guard_range_high;
    return true;
}
