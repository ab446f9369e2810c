/* link: shim */
/*
 * The x86-64 machine on hand-made kernels: each stops at an int3, from where the next access is looked for ahead of time,
 * then runs on, so that what was foretold can be compared with where the kernel really went.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "access/machine.h"
#include "access/machine_x86.h"
#include "stack/module.h"

static bool want_store, in_string_operation;
static uint32_t window, random_word; /* 0: the first access */
static enum machine_find_result result;
static struct machine_find find;

static void at_breakpoint(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number, (void)info;
    in_string_operation = machine_in_string_operation(context);
    struct machine_choice choice = {.store = want_store, .window = window, .random = random_word};
    result = machine_find_access(context, &choice, &find);
}

/* Runs statements of assembly with rdi = `first`, rsi = `second`, rdx = `third`; the look-ahead begins behind the int3. */
#define KERNEL(name, text)                                                                                             \
    void name(void *first, const void *second, uint64_t third);                                                        \
    __asm__(".pushsection .text\n.globl " #name "\n.type " #name ",@function\n" #name ":\n" text "\nret\n.size " #name \
            ",.-" #name "\n.popsection\n")

static uint64_t destination[32], source[32];

static void look(void (*kernel)(void *, const void *, uint64_t), bool store, uint64_t third)
{
    want_store = store;
    kernel(destination, source, third);
}

static void assert_found(const void *address, uint32_t size_bytes)
{
    assert_int_equal(result, MACHINE_FOUND);
    assert_ptr_equal((void *)find.access.address, address);
    assert_int_equal(find.access.size_bytes, size_bytes);
}

KERNEL(kernel_plain, "int3; mov 8(%rsi), %rax; mov %rax, 16(%rdi)");
static void test_finds_the_next_load_and_store(void **state)
{
    (void)state;
    look(kernel_plain, false, 0);
    assert_found(&source[1], 8);
    assert_true(find.access.load);
    assert_false(find.access.store);
    look(kernel_plain, true, 0);
    assert_found(&destination[2], 8);
    assert_true(find.access.store);
}

KERNEL(kernel_double, "int3; movsd (%rsi), %xmm0");
KERNEL(kernel_float, "int3; movss (%rsi), %xmm0");
KERNEL(kernel_doubles, "int3; movupd (%rsi), %xmm0");
KERNEL(kernel_plain_move, "int3; movups (%rsi), %xmm0");
KERNEL(kernel_integers, "int3; movdqu (%rsi), %xmm0");

static void assert_float_bytes(void (*kernel)(void *, const void *, uint64_t), uint32_t bytes)
{
    look(kernel, false, 0);
    assert_int_equal(result, MACHINE_FOUND);
    assert_int_equal(find.access.float_bytes, bytes);
}

/* What is shortest to encode moves anything: its name tells no type. */
static void test_numbers_have_the_type_that_instructions_name(void **state)
{
    (void)state;
    assert_float_bytes(kernel_double, 8);
    assert_float_bytes(kernel_float, 4);
    assert_float_bytes(kernel_doubles, 8);
    assert_float_bytes(kernel_plain_move, 0);
    assert_float_bytes(kernel_integers, 0);
    assert_float_bytes(kernel_plain, 0);
}

KERNEL(kernel_no_access, "int3; nopw 64(%rdi,%rdi,8); prefetcht0 (%rsi); lea 8(%rsi), %rax; lea -8(%rsp), %rcx;"
                         "mov %rax, (%rcx); mov (%rcx), %rax; mov 24(%rsi), %rax");
static void test_passes_over_what_is_no_access(void **state)
{
    (void)state;
    look(kernel_no_access, false, 0);
    assert_found(&source[3], 8);
}

KERNEL(kernel_computed, "int3; mov %rdx, %rax; shl $3, %rax; add %rsi, %rax; imul $2, %rdx, %rcx; sub %rdx, %rcx;"
                        "cmp %rcx, %rdx; jne 1f; movl $1, %r8d; movzbl %r8b, %r8d; push %r8; xor %r8d, %r8d; pop %r8;"
                        "mov (%rax,%r8,8), %rax; ret; 1: mov (%rsi), %rax");
static void test_computes_registers_flags_and_the_stack(void **state)
{
    (void)state;
    look(kernel_computed, false, 5);
    assert_found(&source[6], 8);
}

KERNEL(kernel_loop, "int3; xor %eax, %eax; 1: add $8, %rax; dec %rdx; jnz 1b; mov %rax, (%rdi)");
static void test_turns_short_loops_and_waits_behind_long_ones(void **state)
{
    (void)state;
    look(kernel_loop, true, 5);
    assert_found(&destination[0], 8);
    look(kernel_loop, true, 1000);
    assert_int_equal(result, MACHINE_NEEDS_BREAK);
    struct x86_instruction behind;
    assert_int_equal(x86_decode(find.break_at, &behind), X86_DECODED);
    assert_int_equal(behind.head.mnemonic, ZYDIS_MNEMONIC_MOV);
}

KERNEL(kernel_long, "int3; .rept 2000; add $1, %rax; .endr; mov %rax, (%rdi)");
KERNEL(kernel_long_loop,
       "int3; 1: .rept 400; add $1, %rax; .endr; dec %rdx; jnz 1b; kernel_long_exit: mov %rax, (%rdi)");
static void test_long_paths_wait_at_their_far_end(void **state)
{
    (void)state;
    extern const char kernel_long_exit[];
    look(kernel_long, true, 0);
    assert_int_equal(result, MACHINE_NEEDS_BREAK);
    assert_in_range(find.break_at, (uintptr_t)kernel_long + 1000, (uintptr_t)kernel_long + 8000);
    look(kernel_long_loop, true, 1000);
    assert_int_equal(result, MACHINE_NEEDS_BREAK);
    assert_int_equal(find.break_at, (uintptr_t)kernel_long_exit);
}

KERNEL(kernel_float_branch, "int3; pxor %xmm0, %xmm0; cvtsi2sd %rdx, %xmm1; comisd %xmm1, %xmm0; ja 1f;"
                            "mov (%rsi), %rax; ret; 1: mov 8(%rsi), %rax");
static void test_waits_at_branches_on_unknown_flags(void **state)
{
    (void)state;
    look(kernel_float_branch, false, 1);
    assert_int_equal(result, MACHINE_NEEDS_BREAK);
    struct x86_instruction branch;
    assert_int_equal(x86_decode(find.break_at, &branch), X86_DECODED);
    assert_int_equal(branch.head.category, ZYDIS_CATEGORY_COND_BR);
}

/* What a thread remembers is what the decoder says, also where code made at run time took the place of other code. */
static void test_decoded_instructions_are_remembered_by_their_bytes(void **state)
{
    (void)state;
    uint8_t code[16] = {0x48, 0x8b, 0x46, 0x08}; /* mov 8(%rsi), %rax */
    struct x86_instruction first, again, other;
    machine_thread_begin();
    assert_int_equal(x86_decode((uintptr_t)code, &first), X86_DECODED);
    assert_int_equal(x86_decode((uintptr_t)code, &again), X86_DECODED);
    assert_memory_equal(&first, &again, sizeof first);
    assert_int_equal(again.operand[1].mem.base, ZYDIS_REGISTER_RSI);
    assert_int_equal(again.operand[1].mem.displacement, 8);
    code[3] = 0x10;
    assert_int_equal(x86_decode((uintptr_t)code, &other), X86_DECODED);
    assert_int_equal(other.operand[1].mem.displacement, 16);
    machine_thread_end();
    for (uintptr_t at = (uintptr_t)kernel_long_loop; at < (uintptr_t)kernel_long_loop + 1600; at += first.head.length) {
        machine_thread_begin();
        assert_int_equal(x86_decode(at, &again), X86_DECODED);
        assert_int_equal(x86_decode(at, &again), X86_DECODED);
        machine_thread_end();
        assert_int_equal(x86_decode(at, &first), X86_DECODED);
        assert_memory_equal(&first, &again, sizeof first);
    }
}

KERNEL(kernel_unknown_address, "int3; movq %rdx, %xmm0; movq %xmm0, %rax; mov (%rsi,%rax,8), %rcx");
static void test_waits_at_accesses_through_overwritten_registers(void **state)
{
    (void)state;
    look(kernel_unknown_address, false, 1);
    assert_int_equal(result, MACHINE_NEEDS_BREAK);
    struct x86_instruction load;
    assert_int_equal(x86_decode(find.break_at, &load), X86_DECODED);
    assert_int_equal(load.head.mnemonic, ZYDIS_MNEMONIC_MOV);
    assert_int_equal(load.operand[1].mem.base, ZYDIS_REGISTER_RSI);
}

KERNEL(kernel_calls, "int3; call 1f; mov %rax, 8(%rdi); ret; 1: lea 2f(%rip), %rax; push %rbp; mov %rsp, %rbp;"
                     "jmp *%rax; 2: mov $7, %eax; leave");
static void test_follows_calls_returns_and_computed_jumps(void **state)
{
    (void)state;
    look(kernel_calls, true, 0);
    assert_found(&destination[1], 8);
    assert_true(find.left_frame);
}

KERNEL(kernel_own_stores, "int3; movq $24, -16(%rsp); lea -16(%rsp), %rax; mov (%rax), %rcx; mov (%rsi,%rcx), %rax");
static void test_sees_the_stores_of_the_path_itself(void **state)
{
    (void)state;
    look(kernel_own_stores, false, 0);
    assert_found(&source[3], 8);
}

KERNEL(kernel_string, "int3; mov %rdx, %rcx; rep movsb; mov %rax, 8(%rdi)");
static void test_string_instructions_touch_what_they_count(void **state)
{
    (void)state;
    look(kernel_string, true, 40);
    assert_found(&destination[0], 40);
    assert_true(find.access.repeats_left > 0);
    look(kernel_string, true, 0);
    assert_found(&destination[1], 8);
}

KERNEL(kernel_at_string, "mov %rdx, %rcx; int3; rep movsb");
KERNEL(kernel_at_search, "mov %rdx, %rcx; xor %eax, %eax; int3; repne scasb");
static void test_knows_when_it_stands_at_a_string_instruction(void **state)
{
    (void)state;
    look(kernel_at_string, true, 40);
    assert_true(in_string_operation);
    look(kernel_at_search, true, 40);
    assert_false(in_string_operation);
    look(kernel_string, true, 40);
    assert_false(in_string_operation);
}

KERNEL(kernel_masked, "mov $0xc, %eax; kmovw %eax, %k1; kxorw %k2, %k2, %k2; int3; vmovups (%rsi), %zmm0{%k2}{z};"
                      "vmovups (%rsi), %zmm1{%k1}{z}; vzeroupper");
static void test_masked_forms_touch_what_the_mask_lets_through(void **state)
{
    (void)state;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512f")) {
        skip();
    }
    look(kernel_masked, false, 0);
    assert_found(&source[1], 8);
}

KERNEL(kernel_vector_masked,
       "mov $-1, %rax; movq %rax, %xmm3; vpslldq $8, %xmm3, %xmm3; vpxor %xmm4, %xmm4, %xmm4; int3;"
       "vmaskmovpd (%rsi), %ymm4, %ymm0; vmaskmovpd (%rsi), %ymm3, %ymm0;"
       "vmaskmovpd %ymm0, %ymm3, 8(%rdi); vzeroupper");
KERNEL(kernel_gather, "mov $5, %eax; movq %rax, %xmm3; vpcmpeqd %xmm5, %xmm5, %xmm5; int3;"
                      "vgatherqpd %xmm5, (%rsi,%xmm3,8), %xmm0; vzeroupper");
KERNEL(kernel_late_gather, "int3; vpcmpeqd %xmm5, %xmm5, %xmm5; vgatherqpd %xmm5, (%rsi,%xmm3,8), %xmm0; vzeroupper");
static void test_vectors_mask_and_address(void **state)
{
    (void)state;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) {
        skip();
    }
    look(kernel_vector_masked, false, 0);
    assert_found(&source[1], 8);
    look(kernel_vector_masked, true, 0);
    assert_found(&destination[2], 8);
    look(kernel_gather, false, 0);
    assert_found(&source[5], 8);
    look(kernel_late_gather, false, 0);
    assert_int_equal(result, MACHINE_NEEDS_BREAK);
}

KERNEL(kernel_scatter, "mov $4, %eax; kmovw %eax, %k1; mov $7, %eax; vpbroadcastd %eax, %zmm18; int3;"
                       "vscatterdps %zmm0, 8(%rdi,%zmm18,4){%k1}; vzeroupper");
static void test_scatters_store_where_the_vector_says(void **state)
{
    (void)state;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512f")) {
        skip();
    }
    look(kernel_scatter, true, 0);
    assert_found((char *)destination + 36, 4);
}

KERNEL(kernel_constants, "int3; mov kernel_constants(%rip), %rax; mov %fs:0, %rax; mov 40(%rsi), %rax");
static void test_constants_and_thread_locals_are_no_candidates(void **state)
{
    (void)state;
    look(kernel_constants, false, 0);
    assert_found(&source[5], 8);
}

/* Runs the explanation of a trap for an instruction that has just run, with the registers it left behind. */
static bool explained;
static struct machine_access explanation;
static uintptr_t watched;

static void after_access(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number, (void)info;
    ucontext_t behind = *(ucontext_t *)context;
    behind.uc_mcontext.gregs[REG_RIP] -= 1; /* before the int3: right behind the access */
    extern const char explain_start[];
    explained = machine_explain_trap(&behind, (uintptr_t)explain_start, watched, 8, &explanation);
}

void explain_load(const void *from, uint64_t index);
void explain_overwrite(const void *from, uint64_t index);
void explain_store(void *to, uint64_t index);
void explain_modify(void *to, uint64_t index);
__asm__(".pushsection .text\n"
        "explain_start: nop\n"
        "explain_load: vmovups (%rdi,%rsi,8), %ymm3; int3; vzeroupper; ret\n"
        "explain_overwrite: mov (%rdi,%rsi,8), %rdi; int3; ret\n"
        "explain_store: movups %xmm1, (%rdi,%rsi,8); int3; ret\n"
        "explain_modify: addl $1, 4(%rdi,%rsi,8); int3; ret\n"
        ".popsection\n");

static void explain_with(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
}

static void test_explains_loads_stores_and_both(void **state)
{
    (void)state;
    explain_with(after_access);
    watched = (uintptr_t)&source[3];
    explain_load(source, 2);
    assert_true(explained && explanation.load && !explanation.store);
    explain_overwrite(source, 3); /* its base register is gone */
    assert_true(explained && explanation.load && !explanation.store);
    watched = (uintptr_t)&destination[3];
    explain_store(destination, 2);
    assert_true(explained && explanation.store && !explanation.load);
    explain_modify(destination, 3);
    assert_true(explained && explanation.store && explanation.load);
    explain_with(at_breakpoint);
}

/* Trap 1 of backward decoding: from inside, a vector load's tail reads as a store of fewer bytes. */
static void test_elsewhere_nothing_is_explained(void **state)
{
    (void)state;
    explain_with(after_access);
    watched = (uintptr_t)&source[20];
    explain_load(source, 2);
    assert_false(explained);
    explain_with(at_breakpoint);
}

static int start(void **state)
{
    (void)state;
    char why[256];
    module_scan();
    explain_with(at_breakpoint);
    return machine_start(why, sizeof why) ? 0 : 1;
}

#define DRAWS 4096u

/* How often each of source's words was chosen, in that many draws. */
static void draw(void (*kernel)(void *, const void *, uint64_t), uint32_t instructions, unsigned chosen[4])
{
    memset(chosen, 0, 4 * sizeof *chosen);
    window = instructions;
    for (unsigned i = 0; i < DRAWS; i++) {
        random_word = i * 2654435761u;
        look(kernel, false, 0);
        if (result == MACHINE_FOUND) {
            chosen[(find.access.address - (uintptr_t)source) / 8 % 4]++;
        }
    }
    window = random_word = 0;
}

KERNEL(kernel_several, "int3; mov (%rsi), %rax; mov %rax, (%rdi); mov 8(%rsi), %rax; mov 16(%rsi), %rax;"
                       ".rept 100; nop; .endr; mov 24(%rsi), %rax");
static void test_chooses_evenly_among_the_accesses_of_a_window(void **state)
{
    (void)state;
    unsigned chosen[4];
    draw(kernel_several, 64, chosen);
    for (unsigned i = 0; i < 3; i++) {
        assert_in_range(chosen[i], DRAWS / 3 - 200, DRAWS / 3 + 200); /* six standard deviations */
    }
    assert_int_equal(chosen[3], 0);
    assert_int_equal(find.sixteenths, 3 * MACHINE_ONE);
    static const unsigned before[] = {0, 2, 3};
    assert_int_equal(find.before, before[(find.access.address - (uintptr_t)source) / 8]);
    draw(kernel_several, 3, chosen);
    assert_int_equal(chosen[2], 0);
    assert_int_equal(find.sixteenths, 2 * MACHINE_ONE);
}

KERNEL(kernel_far, "int3; .rept 100; nop; .endr; mov (%rsi), %rax");
static void test_an_access_behind_the_window_stands_for_next_to_nothing(void **state)
{
    (void)state;
    unsigned chosen[4];
    draw(kernel_far, 64, chosen);
    assert_int_equal(chosen[0], DRAWS);
    assert_int_equal(find.sixteenths, 1);
}

/* Sixteen instructions of sixty-four lie before the branch that depends on what is not computed. */
KERNEL(kernel_cut, "int3; mov (%rsi), %rax; .rept 13; nop; .endr; ucomisd (%rsp), %xmm0; ja 1f; mov 8(%rsi), %rax; 1:");
static void test_chance_decides_where_a_break_cuts_the_window(void **state)
{
    (void)state;
    unsigned chosen[4];
    draw(kernel_cut, 64, chosen);
    assert_in_range(chosen[0], DRAWS / 4 - 170, DRAWS / 4 + 170);
    assert_int_equal(chosen[1], 0);
    window = 64;
    for (bool found = false, broke = false; !found || !broke;) {
        random_word += 2654435761u;
        look(kernel_cut, false, 0);
        found |= result == MACHINE_FOUND;
        broke |= result == MACHINE_NEEDS_BREAK;
        assert_int_equal(find.sixteenths, result == MACHINE_FOUND ? 4 * MACHINE_ONE : MACHINE_ONE * 64 / 48);
    }
    window = random_word = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_next_load_and_store),
        cmocka_unit_test(test_chooses_evenly_among_the_accesses_of_a_window),
        cmocka_unit_test(test_an_access_behind_the_window_stands_for_next_to_nothing),
        cmocka_unit_test(test_chance_decides_where_a_break_cuts_the_window),
        cmocka_unit_test(test_numbers_have_the_type_that_instructions_name),
        cmocka_unit_test(test_passes_over_what_is_no_access),
        cmocka_unit_test(test_computes_registers_flags_and_the_stack),
        cmocka_unit_test(test_turns_short_loops_and_waits_behind_long_ones),
        cmocka_unit_test(test_long_paths_wait_at_their_far_end),
        cmocka_unit_test(test_waits_at_branches_on_unknown_flags),
        cmocka_unit_test(test_decoded_instructions_are_remembered_by_their_bytes),
        cmocka_unit_test(test_waits_at_accesses_through_overwritten_registers),
        cmocka_unit_test(test_follows_calls_returns_and_computed_jumps),
        cmocka_unit_test(test_sees_the_stores_of_the_path_itself),
        cmocka_unit_test(test_string_instructions_touch_what_they_count),
        cmocka_unit_test(test_knows_when_it_stands_at_a_string_instruction),
        cmocka_unit_test(test_masked_forms_touch_what_the_mask_lets_through),
        cmocka_unit_test(test_vectors_mask_and_address),
        cmocka_unit_test(test_scatters_store_where_the_vector_says),
        cmocka_unit_test(test_constants_and_thread_locals_are_no_candidates),
        cmocka_unit_test(test_explains_loads_stores_and_both),
        cmocka_unit_test(test_elsewhere_nothing_is_explained),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
