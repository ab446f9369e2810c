#include "stack/guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/uio.h>

#include "kernel.h"
#include "thread.h"

_Static_assert(offsetof(struct guard_chain_layout, right) == 8 && offsetof(struct guard_chain_layout, next) == 16 &&
                   offsetof(struct guard_chain_layout, kind) == 24 &&
                   offsetof(struct guard_chain_layout, kind_skipped) == 32 &&
                   offsetof(struct guard_chain_layout, head_count) == 36 &&
                   offsetof(struct guard_chain_layout, heads) == 40,
               "guard_chain() has these offsets in its instructions");

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
        "    movq %rcx, %xmm0\n"
        "    movq (%rdx), %r8\n"
        "    movq 8(%rdx), %r9\n"
        "    movq 16(%rdx), %r10\n"
        "    movq 24(%rdx), %r11\n"
        "    movq 40(%rdx), %rax\n"
        "    movq (%rsi,%rax), %rsi\n"
        "    cmpl $2, 36(%rdx)\n"
        "    jne 6f\n"
        "    testq %rsi, %rsi\n"
        "    jz 8f\n"
        "    movq 48(%rdx), %rax\n"
        "    movq (%rsi,%rax), %rsi\n"
        "    jmp 6f\n"
        "5:  movzbl (%rsi,%r11), %eax\n"
        "    cmpl 32(%rdx), %eax\n"
        "    jae 7f\n"
        "    movq %rsi, (%rdi)\n"
        "    movq (%rsi,%r8), %rax\n"
        "    movq %rax, 8(%rdi)\n"
        "    movq (%rsi,%r9), %rax\n"
        "    movq %rax, 16(%rdi)\n"
        "    addq $24, %rdi\n"
        "    decq %rcx\n"
        "7:  movq %rsi, %rax\n"
        "    movq (%rsi,%r10), %rsi\n"
        "    cmpq %rsi, %rax\n"
        "    je guard_range_high\n"
        "6:  testq %rsi, %rsi\n"
        "    jz 8f\n"
        "    testq %rcx, %rcx\n"
        "    jnz 5b\n"
        "8:  movq %xmm0, %rax\n"
        "    subq %rcx, %rax\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size guard_chain, . - guard_chain\n"
        ".p2align 4\n"
        ".globl guard_copy_here\n"
        ".hidden guard_copy_here\n"
        ".type guard_copy_here, @function\n"
        "guard_copy_here:\n"
        "    .cfi_startproc\n"
        "    cmpq $64, %rdx\n"
        "    jb 5f\n"
        "6:  movups (%rsi), %xmm0\n"
        "    movups 16(%rsi), %xmm1\n"
        "    movups 32(%rsi), %xmm2\n"
        "    movups 48(%rsi), %xmm3\n"
        "    movups %xmm0, (%rdi)\n"
        "    movups %xmm1, 16(%rdi)\n"
        "    movups %xmm2, 32(%rdi)\n"
        "    movups %xmm3, 48(%rdi)\n"
        "    addq $64, %rsi\n"
        "    addq $64, %rdi\n"
        "    subq $64, %rdx\n"
        "    cmpq $64, %rdx\n"
        "    jae 6b\n"
        "5:  cmpq $8, %rdx\n"
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
        ".size guard_copy_here, . - guard_copy_here\n");

bool guard_copy_here(void *to, const void *from, size_t bytes);

/* The kernel kills a process whose fault finds its signal blocked. In a handler of the shim it is open again. */
static bool faults_are_blocked(void)
{
    const uint64_t faults = UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1);
    uint64_t blocked = 0;
    return syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof blocked) == 0 && (blocked & faults) != 0;
}

static bool copy_by_kernel(void *to, const void *from, size_t bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
    return syscall(SYS_process_vm_readv, kernel_process_id(), &local, 1, &remote, 1, 0) == (long)bytes;
}

bool guard_copy(void *to, const void *from, size_t bytes)
{
    if (__builtin_expect(thread_self == NULL || !thread_self->faults_blocked, 1)) {
        return guard_copy_here(to, from, bytes);
    }
    int kept_errno = errno;
    bool copied = faults_are_blocked() ? copy_by_kernel(to, from, bytes) : guard_copy_here(to, from, bytes);
    errno = kept_errno;
    return copied;
}

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
