/* link: shim */
/* Merging both stacks and interning the path: pairs, surpluses, cut ends, disagreement; equal paths are one node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "ledger/ledger.h"
#include "process.h"
#include "scratch_run.h"
#include "stack/context.h"
#include "stack/module.h"
#include "stack/module_eval.h"

static struct context_scratch scratch;
static volatile int sink;

/* Stands for the evaluation loop: addresses in it count as frames of it. */
__attribute__((noinline)) static int fake_loop(int rounds)
{
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum += sink * i;
    }
    return sum;
}

static int begin(void **state)
{
    (void)state;
    if (!scratch_run_begin() || !config_read() || !ledger_open() || !context_start()) {
        return 1;
    }
    ledger_reserve();
    module_scan();
    module_eval_start(module_find((uintptr_t)fake_loop), (uintptr_t)fake_loop);
    sink = fake_loop(3);
    return module_is_eval_loop((uintptr_t)fake_loop + 2) ? 0 : 1;
}

/* Frames leaf first: 'L' a loop, a letter a native function, '|' a gap before the next; digits are Python frames, a
 * quote after one marks the entry of its run, and a star a loop around whose frame has ended. */
static void set_stacks(const char *native, const char *python)
{
    memset(&scratch, 0, sizeof scratch);
    scratch.native_complete = true;
    scratch.has_python_state = python[0] != '\0';
    bool gap = false;
    for (; *native != '\0'; native++) {
        if (*native == '|') {
            gap = true;
            continue;
        }
        scratch.native[scratch.native_count++] = (struct native_frame){
            .address = *native == 'L' ? (uintptr_t)fake_loop + 2 : (uintptr_t)*native, .gap = gap};
        gap = false;
    }
    for (; *python != '\0'; python++) {
        if (*python == '\'') {
            scratch.python[scratch.python_count - 1].entry = true;
        } else if (*python == '*') {
            scratch.python[scratch.python_count - 1].ended_around++;
        } else {
            scratch.python[scratch.python_count++] = (struct python_frame){.code = (uint32_t)*python, .offset = 8};
        }
    }
}

/* The path root first, in the same letters; '|' a gap, '@' an access. */
static const char *path_of(uint32_t node)
{
    static char text[256];
    size_t used = sizeof text;
    text[--used] = '\0';
    while (node != 0) {
        const struct db_node *record = ledger_record(DB_KIND_NODE, node);
        assert_non_null(record);
        assert_true(record->published);
        assert_true(record->parent < node);
        char letter = record->frame == DB_FRAME_PYTHON   ? (char)(record->value >> 32)
                      : record->frame == DB_FRAME_NATIVE ? (char)record->value
                      : record->frame == DB_FRAME_GAP    ? '|'
                                                         : '@';
        if (record->frame == DB_FRAME_ROOT) {
            return text + used;
        }
        text[--used] = letter;
        node = record->parent;
    }
    fail();
    return "";
}

static uint64_t mismatches(void)
{
    return process_record->dropped[DB_DROP_MERGE_MISMATCH];
}

#define ASSERT_PATH(access, expected) assert_string_equal(path_of(context_intern(&scratch, (access))), (expected))

static void test_pairs_runs_with_loops(void **state)
{
    (void)state;
    set_stacks("baLdcLyx", "3'21'");
    ASSERT_PATH(0, "12cd3ab");
    set_stacks("Lx", "21'");
    ASSERT_PATH(0, "12");
    assert_int_equal(mismatches(), 0);
}

static void test_surplus_of_one_at_the_leaf(void **state)
{
    (void)state;
    set_stacks("LbLx", "1'");
    ASSERT_PATH(0, "1b");
    set_stacks("bLx", "2'1'");
    ASSERT_PATH(0, "1b2");
    assert_int_equal(mismatches(), 0);
}

/* A frame that ends frees what its locals held, and that calls Python: its loop is there still, the frame is not. */
static void test_a_loop_whose_frame_has_ended(void **state)
{
    (void)state;
    set_stacks("baLdcLfLx", "2'*1'");
    ASSERT_PATH(0, "1fcd2ab");
    set_stacks("LdcLfLhgLx", "32'**1'");
    ASSERT_PATH(0, "1ghfcd23");
    set_stacks("LbLaLdLcLfLx", "3'*2'*1'"); /* the innermost loop's frame is not there yet */
    ASSERT_PATH(0, "1fc2da3b");
    set_stacks("bLaLcL", "4'*3'2'1'");
    scratch.native_complete = false;
    ASSERT_PATH(0, "123ca4b");
    assert_int_equal(mismatches(), 0);
}

static void test_native_threads(void **state)
{
    (void)state;
    set_stacks("cba", "");
    ASSERT_PATH(0, "abc");
    ASSERT_PATH(0x1234, "ab@");
    const struct db_node *leaf = ledger_record(DB_KIND_NODE, context_intern(&scratch, 0x1234));
    assert_int_equal(leaf->frame, DB_FRAME_ACCESS);
    assert_int_equal(leaf->value, 0x1234);
}

static void test_access_replaces_the_leaf(void **state)
{
    (void)state;
    set_stacks("baLx", "1'");
    ASSERT_PATH(0x99, "1a@");
    set_stacks("bLx", "1'");
    ASSERT_PATH(0x99, "1@");
}

static void test_gap(void **state)
{
    (void)state;
    set_stacks("b|Lx", "1'");
    ASSERT_PATH(0, "1|b");
    set_stacks("b|aLx", "1'");
    ASSERT_PATH(0, "1a|b");
}

static void test_disagreement_keeps_the_innermost(void **state)
{
    (void)state;
    uint64_t before = mismatches();
    set_stacks("baLx", "4'3'2'1'");
    ASSERT_PATH(0, "1234ab");
    assert_int_equal(mismatches(), before + 1);
    set_stacks("ba", "2'1'");
    ASSERT_PATH(0, "12|ab");
    assert_int_equal(mismatches(), before + 2);
    set_stacks("baLx", "");
    ASSERT_PATH(0, "ab");
    assert_int_equal(mismatches(), before + 2);
}

static void test_cut_stacks_pair_from_the_leaf(void **state)
{
    (void)state;
    uint64_t before = mismatches();
    set_stacks("bLaL", "4'3'2'1'");
    scratch.native_complete = false;
    ASSERT_PATH(0, "123a4b");
    set_stacks("bLaLcLdLx", "43'2");
    scratch.python_truncated = true;
    ASSERT_PATH(0, "2a34b");
    assert_int_equal(mismatches(), before);
}

static void test_equal_paths_are_one_node(void **state)
{
    (void)state;
    set_stacks("baLdcLyx", "3'21'");
    uint32_t first = context_intern(&scratch, 0);
    assert_int_equal(context_intern(&scratch, 0), first);
    memset(&scratch.path, 0, sizeof scratch.path);
    assert_int_equal(context_intern(&scratch, 0), first);
    set_stacks("caLdcLyx", "3'21'");
    uint32_t second = context_intern(&scratch, 0);
    assert_int_not_equal(second, first);
    const struct db_node *a = ledger_record(DB_KIND_NODE, first);
    const struct db_node *b = ledger_record(DB_KIND_NODE, second);
    assert_int_equal(a->parent, b->parent);
}

/* A frame within one whose code found no space would look as if the caller had called it. */
static void test_a_frame_without_a_code_is_its_callers(void **state)
{
    (void)state;
    set_stacks("baLdcLyx", "3'21'");
    ASSERT_PATH(0, "12cd3ab");
    scratch.python[1].code = 0;
    ASSERT_PATH(0, "1");
    assert_int_equal(context_intern(&scratch, 77), 0);
    set_stacks("baLdcLyx", "3'21'");
    ASSERT_PATH(0, "12cd3ab");
}

static void test_many_nodes(void **state)
{
    (void)state;
    static uint32_t leaves[20000];
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 20000; i++) {
            set_stacks("baLx", "1'");
            scratch.native[0].address = 0x10000 + i;
            uint32_t node = context_intern(&scratch, 0);
            if (node == 0) { /* the reserve is small: what a handler asks for, a chore does between two samples */
                ledger_reserve();
                node = context_intern(&scratch, 0);
            }
            if (node == 0) {
                printf("# round %u, leaf %u: file full %lu, no reserve %lu, table full %lu\n", round, i,
                       process_record->dropped[DB_DROP_FILE_FULL], process_record->dropped[DB_DROP_NO_RESERVE],
                       process_record->dropped[DB_DROP_TABLE_FULL]);
            }
            assert_int_not_equal(node, 0);
            assert_true(round == 0 || leaves[i] == node);
            leaves[i] = node;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_runs_with_loops),
        cmocka_unit_test(test_surplus_of_one_at_the_leaf),
        cmocka_unit_test(test_a_loop_whose_frame_has_ended),
        cmocka_unit_test(test_native_threads),
        cmocka_unit_test(test_access_replaces_the_leaf),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_disagreement_keeps_the_innermost),
        cmocka_unit_test(test_cut_stacks_pair_from_the_leaf),
        cmocka_unit_test(test_equal_paths_are_one_node),
        cmocka_unit_test(test_a_frame_without_a_code_is_its_callers),
        cmocka_unit_test(test_many_nodes),
    };
    return cmocka_run_group_tests(tests, begin, scratch_run_end);
}
