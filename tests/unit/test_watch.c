/* link: shim */
/* What two accesses to the same bytes say together, within a call and across calls. */
#include "watch_run.h"

static void test_load_load(void **state)
{
    (void)state;
    words[8] = 7;
    arm(false, &words[8], 0);
    load(&words[8]);
    load(&words[8]);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
}

/* Two accesses on the way to the chosen one touch its bytes; a third beside them does not. */
static void test_accesses_on_the_way_are_not_the_sampled_one(void **state)
{
    (void)state;
    ahead.touched[0] = ahead.touched[2] = (struct machine_span){(uintptr_t)&words[8], 8};
    ahead.touched[1] = (struct machine_span){(uintptr_t)&words[9], 8};
    ahead.before = 3;
    arm(true, &words[8], 0);
    ahead.before = 0;
    store(&words[8], 5);
    store(&words[8], 5);
    store(&words[8], 6);
    assert_int_equal(all_pairs(), 0);
    store(&words[8], 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
}

static void test_load_watch_passes_over_stores(void **state)
{
    (void)state;
    arm(false, &words[8], 0);
    load(&words[8]);
    store(&words[8], 5);
    store(&words[8], 6);
    load(&words[8]);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_UNKNOWN, DB_PAIR_STORED), 1);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, 0), 1); /* the first of the two */
    assert_int_equal(all_pairs(), 2);
}

/* In the next call as well; what comes behind the second load is no business of the first one's. */
static void test_the_first_store_behind_a_load_is_told_once(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    arm(false, &words[8], (uintptr_t)&slot);
    load(&words[8]);
    slot = 1;
    store(&words[8], 5);
    load(&words[8]);
    store(&words[8], 6);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_STORE, DB_SCOPE_ACROSS, 0), 1);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_ACROSS, DB_PAIR_STORED), 1);
    assert_int_equal(all_pairs(), 2);
}

/* One instruction loads and then stores: the store is the next access. */
static void test_an_addition_in_memory_is_followed_by_its_own_store(void **state)
{
    (void)state;
    arm(false, &words[8], 0);
    add(&words[8], 3);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, 0), 1);
    add(&words[8], 3);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_UNKNOWN, DB_PAIR_STORED), 1);
    assert_int_equal(all_pairs(), 2);
}

static void test_store_store_and_store_load(void **state)
{
    (void)state;
    arm(true, &words[8], 0);
    store(&words[8], 5);
    store(&words[8], 5);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
    arm(true, &words[8], 0);
    store(&words[8], 6);
    store(&words[8], 7);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, 0), 1);
    arm(true, &words[8], 0);
    store(&words[8], 8);
    load(&words[8]);
    assert_int_equal(all_pairs(), 3);
}

static void test_zero_over_zero_is_marked(void **state)
{
    (void)state;
    arm(true, &words[8], 0);
    store(&words[8], 0);
    store(&words[8], 0);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE | DB_PAIR_ZERO), 1);
}

static void test_dead_across_calls(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    arm(true, &words[8], (uintptr_t)&slot);
    store(&words[8], 5);
    slot = 1;
    store(&words[8], 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, 0), 1);
    assert_int_equal(all_pairs(), 1);
}

/* Trap 10: a packing buffer is written, read and, in the next call, written again. That is no dead store. */
static void test_a_load_inside_the_call_makes_a_store_used(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    arm(true, &words[8], (uintptr_t)&slot);
    store(&words[8], 5);
    load(&words[8]);
    slot = 1;
    store(&words[8], 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_LOAD, DB_SCOPE_WITHIN, DB_PAIR_SAME_VALUE), 0);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, DB_PAIR_SLEPT | DB_PAIR_USED), 1);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, 0), 0);
    assert_int_equal(all_pairs(), 2);
}

/* The load that was seen is not of what was stored behind it, unseen. */
static void test_a_store_behind_the_load_is_not_called_used(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    arm(true, &words[8], (uintptr_t)&slot);
    store(&words[8], 5);
    load(&words[8]);
    store(&words[8], 6);
    slot = 1;
    store(&words[8], 7);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, DB_PAIR_SLEPT | DB_PAIR_UNSEEN), 1);
}

/* What a watch slept through may have used the store: nothing seen says that it was. */
static void test_a_loop_of_stores_sleeps_and_is_not_called_used(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    arm(true, &words[8], (uintptr_t)&slot);
    for (uint64_t i = 0; i < 20; i++) {
        store(&words[8], i);
    }
    slot = 1;
    store(&words[8], 77);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_WITHIN, 0), 1);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, DB_PAIR_SLEPT | DB_PAIR_UNSEEN), 1);
}

/* A string instruction may trap several times on its way over the bytes; begun again it is another store. */
static void test_a_string_instruction_begun_again_is_another_store(void **state)
{
    (void)state;
    uint64_t slot = 0, finished = process_record->finished;
    arm(true, &words[64], (uintptr_t)&slot);
    fill(words, 5, 128);
    assert_int_equal(all_pairs(), 0);
    fill(words, 5, 128);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_WITHIN, DB_PAIR_SAME_VALUE), 1);
    uint32_t traps = (uint32_t)process_record->traps;
    for (int i = 0; i < 100; i++) {
        fill(words, 5, 128);
    }
    assert_in_range(process_record->traps - traps, 0, 50);
    assert_int_equal(process_record->finished, finished + 1);
}

/* The register watches aligned bytes in the middle; the values differ in a byte beside them. */
static void test_unaligned_values_are_compared_whole(void **state)
{
    (void)state;
    uintptr_t address = (uintptr_t)&words[8] + 3;
    uint64_t *unaligned;
    memcpy(&unaligned, &address, sizeof unaligned);
    arm(true, unaligned, 0);
    store(unaligned, 5);
    store(unaligned, 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, 0), 1);
    arm(true, unaligned, 0);
    store(unaligned, 6);
    store(unaligned, 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
}

static void test_one_watch_yields_within_and_across(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    words[8] = 3;
    arm(false, &words[8], (uintptr_t)&slot);
    for (int i = 0; i < 20; i++) {
        load(&words[8]);
    }
    slot = 1;
    load(&words[8]);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_WITHIN, DB_PAIR_SAME_VALUE), 1);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_ACROSS, DB_PAIR_SAME_VALUE | DB_PAIR_SLEPT), 1);
}

/* Nobody knows which value the call's last load saw. */
static void test_a_change_that_was_slept_through_is_told(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    words[8] = 7;
    arm(false, &words[8], (uintptr_t)&slot);
    load(&words[8]);
    load(&words[8]);
    store(&words[8], 9);
    slot = 1;
    load(&words[8]);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_WITHIN, DB_PAIR_SAME_VALUE), 1);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_ACROSS, DB_PAIR_SLEPT | DB_PAIR_UNSEEN), 1);
    assert_int_equal(all_pairs(), 2);
}

/* Once a change was slept through there, the next watch sees its call to the end, but does not tell of it twice. */
static void test_where_a_change_was_slept_through_the_next_stays_awake(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    for (uint64_t i = 0; i < 2; i++) {
        words[8] = 7;
        arm(false, &words[8], (uintptr_t)&slot);
        load(&words[8]);
        load(&words[8]);
        load(&words[8]);
        store(&words[8], 9);
        slot = 1;
        load(&words[8]);
    }
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_WITHIN, DB_PAIR_SAME_VALUE), 2);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_ACROSS, DB_PAIR_SLEPT | DB_PAIR_UNSEEN), 1);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_ACROSS, 0), 1);
    assert_int_equal(all_pairs(), 4);
}

/* Nor does one that sleeps there after all count where the bytes happen to be as it left them. */
static void test_who_sleeps_where_others_stay_awake_knows_nothing(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    for (uint64_t i = 0; i < 2; i++) {
        words[8] = 7;
        arm(false, &words[8], (uintptr_t)&slot);
        for (int times = 0; times < 100; times++) {
            load(&words[8]);
        }
        store(&words[8], 8 - i);
        slot = 1;
        load(&words[8]);
    }
    const uint32_t unseen = DB_PAIR_SLEPT | DB_PAIR_UNSEEN;
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_ACROSS, unseen), 1);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_ACROSS, unseen | DB_PAIR_SAME_VALUE), 1);
}

static void test_a_loop_of_stores_is_followed_where_sleep_missed_its_end(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    for (unsigned round = 0; round < 2; round++) {
        arm(true, &words[8], (uintptr_t)&slot);
        for (uint64_t i = 0; i < 20; i++) {
            store(&words[8], i);
        }
        slot = 1;
        store(&words[8], 77);
    }
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, DB_PAIR_SLEPT | DB_PAIR_UNSEEN), 1);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, 0), 1);
}

/* Byte by byte, the first or last few of which were there before: it is the whole that was, or was not. */
static void test_bytes_that_are_copied_are_judged_together(void **state)
{
    (void)state;
    static uint64_t from[4];
    const uint64_t values[][3] = {{0x3ff8000000000000, 0x4004000000000000, 0}, /* 1.5, then 2.5 */
                                  {0x0000000000003ff8, 0x0000000000004004, 0},
                                  {0x4004000000000000, 0x4004000000000000, DB_PAIR_SAME_VALUE}};
    for (unsigned i = 0; i < 6; i++) {
        const uint64_t *value = values[i % 3];
        begin(state);
        words[8] = value[0];
        from[0] = from[1] = from[2] = from[3] = value[1];
        arm(true, &words[8], 0);
        for (int round = 0; round < 2; round++) {
            if (i < 3) {
                copy_bytes(&words[7], from, 32);
            } else {
                copy_bytes_down((char *)&words[11] - 1, (char *)&from[4] - 1, 32);
            }
        }
        assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_NONE, DB_SCOPE_UNKNOWN, (uint32_t)value[2]), 1);
        assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WATCH_TEST(test_load_load),
        WATCH_TEST(test_accesses_on_the_way_are_not_the_sampled_one),
        WATCH_TEST(test_load_watch_passes_over_stores),
        WATCH_TEST(test_the_first_store_behind_a_load_is_told_once),
        WATCH_TEST(test_an_addition_in_memory_is_followed_by_its_own_store),
        WATCH_TEST(test_store_store_and_store_load),
        WATCH_TEST(test_zero_over_zero_is_marked),
        WATCH_TEST(test_dead_across_calls),
        WATCH_TEST(test_a_load_inside_the_call_makes_a_store_used),
        WATCH_TEST(test_a_loop_of_stores_sleeps_and_is_not_called_used),
        WATCH_TEST(test_a_string_instruction_begun_again_is_another_store),
        WATCH_TEST(test_unaligned_values_are_compared_whole),
        WATCH_TEST(test_one_watch_yields_within_and_across),
        WATCH_TEST(test_a_store_behind_the_load_is_not_called_used),
        WATCH_TEST(test_a_change_that_was_slept_through_is_told),
        WATCH_TEST(test_where_a_change_was_slept_through_the_next_stays_awake),
        WATCH_TEST(test_who_sleeps_where_others_stay_awake_knows_nothing),
        WATCH_TEST(test_a_loop_of_stores_is_followed_where_sleep_missed_its_end),
        WATCH_TEST(test_bytes_that_are_copied_are_judged_together),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
