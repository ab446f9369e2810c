/* link: shim */
/* What becomes of results after the call that made them: whether they are changed, and how many frames had moved on before. */
#include "object_run.h"
#include "objects/aftermath.h"
#include "stack_run.h"

static uint64_t others[CALL_STACK_ASKED_MAX + 2][BYTES / 8];

/* An object of a site that has repeated itself, born where the stack stands. */
static struct object born_asked_at(uint32_t number, uint64_t *start)
{
    struct object object = born(number);
    object.start = (uintptr_t)start;
    atomic_store(&sites_at(number)->last_match, 1);
    object.origin.generation = call_stack_innermost(stack)->generation;
    object.origin.depth = (uint16_t)(stack->depth - 1);
    aftermath_born(stack, sites_at(number), object.start, &object.origin);
    assert_true(object_map_birth_of(&object));
    return object;
}

static struct object born_asked(uint32_t number)
{
    return born_asked_at(number, buffer);
}

static void see_birth(const char *frames)
{
    assert_true(see(frames));
    aftermath_look(stack);
}

static unsigned end(uint32_t number, const struct object *object)
{
    aftermath_ended(stack, sites_at(number), object, object->start);
    assert_true(object_map_death(object->start, BYTES));
    return record_of(number)->changed_beyond;
}

static void test_what_stays_as_its_line_left_it_is_not_changed(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    assert_true(see("110 222"));
    struct object object = born_asked(site);
    fill(7); /* by the very call */
    see_birth("110 224");
    see_birth("112");
    assert_int_equal(end(site, &object), 0);
    assert_int_equal(stack->asked_count, 0);
}

static void test_what_is_changed_after_its_line_is_told_by_the_frames_that_had_moved(void **state)
{
    (void)state;
    static const char *const seen[] = {"110 222 334", "110 224", "112"};
    for (unsigned moved = 1; moved <= 3; moved++) {
        uint32_t site = fresh_site(1, BYTES);
        assert_true(see("110 222 332"));
        struct object object = born_asked(site);
        for (unsigned i = 0; i < 3; i++) {
            see_birth(seen[i]);
            if (i + 1 == moved) {
                fill(100 + moved);
            }
        }
        assert_int_equal(end(site, &object), moved);
    }
}

/* Its line calls a function that finishes it: within the line, not after it. */
static void test_what_a_call_deeper_in_finishes_is_changed_within_the_outer_line(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    assert_true(see("110 222"));
    struct object object = born_asked(site);
    see_birth("110 224 332");
    fill(31);
    see_birth("110 224 334");
    fill(32);
    see_birth("112");
    assert_int_equal(end(site, &object), 1);
}

/* A native call that calls back into Python has not returned. */
static void test_a_call_that_goes_on_is_not_over(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    assert_true(see("110 222"));
    struct object object = born_asked(site);
    see_birth("110 222 330");
    fill(41);
    see_birth("110 222 332");
    fill(42);
    assert_int_equal(end(site, &object), 0);
}

static void test_what_was_never_looked_at_again_says_nothing(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    assert_true(see("110 222"));
    struct object object = born_asked(site);
    fill(51);
    assert_int_equal(end(site, &object), 0);
}

/* Which change is told: the offset at which the outermost frame that had moved stood before, or that it was in a call. */
static void test_where_the_frame_stood_before_the_change_is_told(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    assert_true(see("110 222"));
    struct object object = born_asked(site);
    see_birth("110 224");
    see_birth("110 226");
    fill(71);
    see_birth("110 228");
    assert_int_equal(end(site, &object), 1);
    assert_int_equal(record_of(site)->changed_offset, 6);
}

static void test_what_a_call_of_python_code_changes_is_told_apart(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    assert_true(see("110 222"));
    struct object object = born_asked(site);
    see_birth("110 224 330");
    fill(81);
    see_birth("110 224 332");
    fill(82); /* by the line itself, when the call is over */
    see_birth("110 226");
    assert_int_equal(end(site, &object), 1);
    assert_int_equal(record_of(site)->changed_offset, DB_OFFSET_CALLED);
}

static void test_sites_that_do_not_repeat_are_not_asked_and_others_a_few_times(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    assert_true(see("110 222"));
    struct object object = born(site);
    aftermath_born(stack, sites_at(site), object.start, &object.origin);
    assert_false(object.origin.is_asked);
    unsigned asked = 0, early = 0;
    for (unsigned i = 0; i < 5000; i++) {
        object = born_asked(site);
        asked += object.origin.is_asked ? 1 : 0;
        early += object.origin.is_asked && i < 16 ? 1 : 0;
        end(site, &object);
    }
    assert_int_equal(asked, 12);
    assert_in_range(early, 4, 6); /* then ever more rarely */
}

/* While there is no room, none is asked; those that never end here make room in the end. */
static void test_what_never_ends_here_makes_room(void **state)
{
    (void)state;
    uint32_t last = 0;
    struct object object;
    stack->asked_count = 0;
    for (unsigned i = 0; i <= CALL_STACK_ASKED_MAX; i++) {
        last = fresh_site(1, BYTES);
        assert_true(see(i % 2 == 0 ? "110 222" : "110 224"));
        object = born_asked_at(last, others[i]);
    }
    assert_false(object.origin.is_asked);
    for (unsigned i = 0; i < 5000; i++) {
        see_birth("112");
    }
    object = born_asked_at(last, others[CALL_STACK_ASKED_MAX + 1]);
    assert_true(object.origin.is_asked);
    assert_int_equal(stack->asked_count, CALL_STACK_ASKED_MAX);
    stack->asked_count = 0;
}

/* Another thread has freed it; there is another object, or nothing. */
static void test_what_is_gone_is_not_read(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES), same = fresh_site(1, BYTES);
    assert_true(see("110 222"));
    struct object object = born_asked(site);
    stack->asked[0].start = 4096; /* nothing is there: no guard is set up in this test */
    see_birth("112");
    assert_int_equal(stack->asked_count, 0);
    end(site, &object);
    assert_true(see("110 222"));
    object = born_asked(same);
    see_birth("110 224");
    assert_int_equal(stack->asked_count, 1);
    assert_true(object_map_death(object.start, BYTES));
    struct object next = {.start = object.start, .size_bytes = BYTES, .origin = object.origin};
    assert_true(object_map_birth_of(&next));
    see_birth("112");
    assert_int_equal(stack->asked_count, 0);
    assert_true(object_map_death(next.start, BYTES));
}

/* Looked at for the first time where its frame stands at `frames`, holding `value`; in the end all hold the same. */
static void live_from(uint32_t site, const char *frames, uint64_t value)
{
    assert_true(see("110 222"));
    struct object object = born_asked(site);
    fill(value);
    see_birth(frames);
    fill(100);
    end(site, &object);
}

static void test_what_ends_equal_and_began_otherwise_is_told(void **state)
{
    (void)state;
    uint32_t alike = fresh_site(1, BYTES), unlike = fresh_site(2, BYTES), elsewhere = fresh_site(3, BYTES);
    for (int i = 0; i < 3; i++) {
        live_from(alike, "110 224", 7);
    }
    assert_int_equal(record_of(alike)->unlike, 0);
    live_from(unlike, "110 224", 7);
    assert_int_equal(record_of(unlike)->unlike, 0);
    live_from(unlike, "110 224", 8);
    assert_int_equal(record_of(unlike)->unlike, 1);
    live_from(elsewhere, "110 224", 7); /* looked at further on the next time: it may have gone through that, too */
    live_from(elsewhere, "110 226", 8);
    assert_int_equal(record_of(elsewhere)->unlike, 0);
}

/* Of what took an operand's place only what is the same each time is its line's to keep. */
static unsigned changed_of_overwritten(uint32_t site, uint64_t value)
{
    assert_true(see("110 222"));
    struct object object = born_asked(site);
    see_birth("110 224");
    aftermath_overwritten(stack, &object.origin);
    fill(value);
    see_birth("110 226");
    fill(value + 1);
    return end(site, &object);
}

static void test_what_took_its_place_is_told_where_it_is_the_same_each_time(void **state)
{
    (void)state;
    uint32_t changing = fresh_site(1, BYTES), same = fresh_site(2, BYTES);
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(changed_of_overwritten(changing, 10 * i), 0);
    }
    assert_int_equal(changed_of_overwritten(same, 500), 0);
    assert_int_equal(changed_of_overwritten(same, 500), 1);
    assert_int_equal(record_of(changing)->unlike + record_of(same)->unlike, 0);
}

static int begin(void **state)
{
    return stack_run_begin(state) != 0 || object_run_begin(state) != 0;
}

static int finish(void **state)
{
    return stack_run_end(state) != 0 || scratch_run_end(state) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_stays_as_its_line_left_it_is_not_changed),
        cmocka_unit_test(test_what_is_changed_after_its_line_is_told_by_the_frames_that_had_moved),
        cmocka_unit_test(test_what_a_call_deeper_in_finishes_is_changed_within_the_outer_line),
        cmocka_unit_test(test_a_call_that_goes_on_is_not_over),
        cmocka_unit_test(test_what_was_never_looked_at_again_says_nothing),
        cmocka_unit_test(test_where_the_frame_stood_before_the_change_is_told),
        cmocka_unit_test(test_what_a_call_of_python_code_changes_is_told_apart),
        cmocka_unit_test(test_sites_that_do_not_repeat_are_not_asked_and_others_a_few_times),
        cmocka_unit_test(test_what_never_ends_here_makes_room),
        cmocka_unit_test(test_what_is_gone_is_not_read),
        cmocka_unit_test(test_what_ends_equal_and_began_otherwise_is_told),
        cmocka_unit_test(test_what_took_its_place_is_told_where_it_is_the_same_each_time),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
