/* link: shim */
/* The Python stack as objects see it: who stands where he stood, and the numbering of equal allocations. */
#include "stack_run.h"

static void test_the_hash_is_of_codes_and_offsets_not_of_addresses(void **state)
{
    (void)state;
    assert_true(see("110 222"));
    uint64_t hash = call_stack_innermost(stack)->hash;
    assert_true(see("310 422"));
    assert_true(call_stack_innermost(stack)->hash == hash);
    assert_true(see("310 424"));
    assert_true(call_stack_innermost(stack)->hash != hash);
    assert_true(see("312 422"));
    assert_true(call_stack_innermost(stack)->hash != hash);
    assert_true(see("110 222"));
    assert_true(call_stack_innermost(stack)->hash == hash);
}

static void test_a_frame_holds_while_it_is_seen_at_one_instruction(void **state)
{
    (void)state;
    assert_true(see("110 222"));
    uint64_t inner = call_stack_innermost(stack)->generation;
    uint64_t outer = stack->levels[0].generation;
    assert_true(see("110 222"));
    assert_true(call_stack_holds(stack, 1, inner));
    assert_true(see("110 222 330")); /* called back into Python: the native call goes on */
    assert_true(call_stack_holds(stack, 1, inner));
    assert_true(see("110 224"));
    assert_false(call_stack_holds(stack, 1, inner));
    assert_true(call_stack_holds(stack, 0, outer));
    assert_true(see("110 222")); /* back at the instruction, but it has been elsewhere */
    assert_false(call_stack_holds(stack, 1, inner));
    assert_true(see("110"));
    assert_false(call_stack_holds(stack, 1, call_stack_innermost(stack)->generation));
}

static void test_a_frame_that_cannot_be_read_leaves_nothing_behind(void **state)
{
    (void)state;
    assert_true(see("110 222"));
    uint64_t inner = call_stack_innermost(stack)->generation;
    assert_false(see("110 223"));
    assert_false(call_stack_holds(stack, 1, inner));
    assert_false(see(""));
    assert_true(see("110 222"));
}

/* A loop's instructions are resolved once for all its rounds, and again when the frame outside has moved. */
static void test_places_come_back_unresolved(void **state)
{
    (void)state;
    assert_true(see("112 222"));
    uint64_t hash = call_stack_innermost(stack)->hash;
    uint64_t own_hash = call_stack_innermost(stack)->own_hash;
    uint64_t generation = call_stack_innermost(stack)->generation;
    assert_true(see("112 224"));
    uint64_t outer = stack->levels[0].generation;
    unsigned before = resolved;
    assert_true(see("112 222"));
    assert_int_equal(resolved, before);
    assert_true(call_stack_innermost(stack)->hash == hash);
    assert_true(call_stack_innermost(stack)->own_hash == own_hash);
    assert_true(call_stack_innermost(stack)->generation > generation);
    assert_true(see("114 222"));
    assert_int_equal(resolved, before + 2);
    assert_true(stack->levels[0].generation != outer);
    assert_true(call_stack_innermost(stack)->hash != hash);
    assert_true(see("112 232"));
    assert_true(call_stack_innermost(stack)->hash != hash);
}

static void test_equal_allocations_of_one_execution_are_numbered(void **state)
{
    (void)state;
    assert_true(see("110 222"));
    assert_int_equal(call_stack_ordinal(stack, 4096, 1), 0);
    assert_int_equal(call_stack_ordinal(stack, 8192, 2), 0);
    assert_int_equal(call_stack_ordinal(stack, 4096, 2), 1);
    assert_int_equal(call_stack_ordinal(stack, 4096, 3), 2);
    assert_true(see("110 224"));
    assert_true(see("110 222"));
    assert_int_equal(call_stack_ordinal(stack, 4096, 1), 0);
}

/* lst.append(f(x)) in a loop: nothing but the allocation itself is ever seen. */
static void test_the_same_caller_again_is_the_next_execution(void **state)
{
    (void)state;
    assert_true(see("110 226"));
    for (int i = 0; i < 100; i++) {
        assert_int_equal(call_stack_ordinal(stack, 4096, 1), 0);
        assert_int_equal(call_stack_ordinal(stack, 4096, 2), 1);
    }
}

static uint16_t execution_at(const char *frames)
{
    assert_true(see(frames));
    call_stack_ordinal(stack, 4096, 1);
    return call_stack_execution(stack);
}

/* Others that share its cache line: so many that one more is the first to be forgotten. */
static void others_are_counted(uint64_t hash)
{
    for (uint64_t i = 1; i < CALL_STACK_COUNTED_WAYS; i++)
        call_stack_count_anew(&stack->counted[hash & (CALL_STACK_COUNTED - 1)], hash ^ (i * CALL_STACK_COUNTED));
}

/* By what the frames run, wherever they lie; one that was forgotten for others' sake is not taken for the next. */
static void test_executions_of_an_instruction_are_counted(void **state)
{
    (void)state;
    uint16_t first = execution_at("110 222");
    call_stack_ordinal(stack, 8192, 2);
    assert_int_equal(call_stack_execution(stack), first);
    uint16_t other = execution_at("110 224");
    assert_int_equal(execution_at("110 222"), first + 1);
    assert_int_equal(execution_at("310 422"), first + 2);
    assert_int_equal(execution_at("110 224"), other + 1);
    uint64_t hash = call_stack_innermost(stack)->hash;
    others_are_counted(hash);
    assert_int_equal(execution_at("110 222"), first + 3);
    assert_int_equal(execution_at("110 224"), other + 2);
    call_stack_count_anew(&stack->counted[hash & (CALL_STACK_COUNTED - 1)], ~hash);
    others_are_counted(hash);
    assert_true(execution_at("110 224") >= other + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_hash_is_of_codes_and_offsets_not_of_addresses),
        cmocka_unit_test(test_a_frame_holds_while_it_is_seen_at_one_instruction),
        cmocka_unit_test(test_a_frame_that_cannot_be_read_leaves_nothing_behind),
        cmocka_unit_test(test_places_come_back_unresolved),
        cmocka_unit_test(test_equal_allocations_of_one_execution_are_numbered),
        cmocka_unit_test(test_the_same_caller_again_is_the_next_execution),
        cmocka_unit_test(test_executions_of_an_instruction_are_counted),
    };
    return cmocka_run_group_tests(tests, stack_run_begin, stack_run_end);
}
