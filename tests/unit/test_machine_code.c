/* link: shim */
/* What the x86-64 machine says of code that it is shown: does it only return, or go on to another library? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>

#include "access/machine.h"
#include "stack/module.h"

/* Runs statements of assembly with rdi = `first`, rsi = `second`, rdx = `third`; it stops at the int3. */
#define KERNEL(name, text)                                                                                             \
    void name(void *first, const void *second, uint64_t third);                                                        \
    __asm__(".pushsection .text\n.globl " #name "\n.type " #name ",@function\n" #name ":\n" text "\nret\n.size " #name \
            ",.-" #name "\n.popsection\n")

static uint64_t there;

static bool is_returning;

static void at_return(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number, (void)info;
    is_returning = machine_is_returning(machine_instruction_pointer(context));
}

KERNEL(kernel_restores,
       "push %rbx; sub $8, %rsp; int3; mov (%rsp), %rdx; xor %eax, %eax; add $8, %rsp; pop %rbx; vzeroupper");
KERNEL(kernel_stores_first, "int3; movq $0, (%rdi); nop");
KERNEL(kernel_may_jump, "xor %eax, %eax; int3; jnz 1f; nop; 1:");
KERNEL(kernel_jumps, "int3; jmp 1f; nop; 1:");
KERNEL(kernel_calls_once, "int3; call 1f; jmp 2f; 1: ret; 2:");
KERNEL(kernel_is_long, "int3; .rept 16; nop; .endr");
static void test_knows_when_a_function_only_returns(void **state)
{
    (void)state;
    static const struct {
        void (*kernel)(void *, const void *, uint64_t);
        bool returns;
    } kernels[] = {{kernel_restores, true}, {kernel_stores_first, false}, {kernel_may_jump, false},
                   {kernel_jumps, false},   {kernel_calls_once, false},   {kernel_is_long, false}};
    struct sigaction here = {.sa_sigaction = at_return, .sa_flags = SA_SIGINFO}, before;
    sigaction(SIGTRAP, &here, &before);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        is_returning = !kernels[i].returns;
        kernels[i].kernel(&there, &there, 0);
        assert_int_equal(is_returning, kernels[i].returns);
    }
    sigaction(SIGTRAP, &before, NULL);
    static const uint8_t undefined[16] = {0x06}; /* "push %es": not in 64 bits */
    assert_false(machine_is_returning((uintptr_t)undefined));
}

static void test_knows_the_stubs_that_go_on_to_another_library(void **state)
{
    (void)state;
    static const struct {
        uint8_t code[16];
        bool is_stub;
    } kernels[] = {{{0xff, 0x25, 0, 0, 0, 0}, true},                               /* jmp *(%rip) */
                   {{0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0, 0, 0, 0}, true},       /* endbr64 first */
                   {{0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0, 0, 0, 0}, true}, /* bnd jmp */
                   {{0xe9, 0, 0, 0, 0}, false},                                    /* jmp to the next */
                   {{0xff, 0x20}, false},                                          /* jmp *(%rax): a switch */
                   {{0xff, 0xe0}, false},                                          /* jmp *%rax */
                   {{0xff, 0x15, 0, 0, 0, 0}, false},                              /* call *(%rip) */
                   {{0x06}, false}};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        assert_int_equal(machine_is_stub((uintptr_t)kernels[i].code), kernels[i].is_stub);
    }
}

static int start(void **state)
{
    (void)state;
    char why[256];
    module_scan();
    return machine_start(why, sizeof why) ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_knows_when_a_function_only_returns),
        cmocka_unit_test(test_knows_the_stubs_that_go_on_to_another_library),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
