/* Hand-written assembly as in BLAS kernels: no unwind information, no frame pointer, the stack moved. */
    .text
    .globl fill_bare
    .type fill_bare, @function
fill_bare: /* (rdi: address, rsi: bytes, rdx: value) */
    push %rbp
    push %rbx
    sub $200, %rsp
    mov %rsi, %rbp
    xor %ebx, %ebx
1:  mov %rdx, (%rdi, %rbx)
    add $8, %rbx
    cmp %rbp, %rbx
    jb 1b
    add $200, %rsp
    pop %rbx
    pop %rbp
    ret
    .size fill_bare, . - fill_bare
    .section .note.GNU-stack, "", @progbits
