/* link: shim */
/* When contents are new: in each round, in bursts, in rounds that grow; and of what kind they are. */
#include "object_run.h"

/* One new content in each round of fifteen; and contents that change when they happen to. */
static void test_the_rhythm_of_new_contents(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 60; i++) {
        make(site, 1000 + i / 15);
    }
    assert_int_equal(record_of(site)->new_first, 1);
    assert_int_equal(record_of(site)->new_last, 46);
    assert_int_equal(record_of(site)->new_step, 15);
    assert_int_equal(record_of(site)->new_bursts, 4);
    make(site, 2000);
    make(site, 2000);
    make(site, 2001);
    assert_int_equal(record_of(site)->new_last, 63);
    assert_int_equal(record_of(site)->new_step, 1);
    assert_int_equal(record_of(site)->new_bursts, 6);
}

/* Three layers that go through a new input in each round of thirty: contents of one burst, whose distances are no rhythm. */
static void test_the_rhythm_of_bursts(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 120; i++) {
        make(site, 1000 + i / 30 * 3 + i % 3);
    }
    assert_int_equal(record_of(site)->period, 3);
    assert_int_equal(record_of(site)->replicas, 108);
    assert_int_equal(record_of(site)->new_first, 1);
    assert_int_equal(record_of(site)->new_last, 93);
    assert_int_equal(record_of(site)->new_step, 30);
    assert_int_equal(record_of(site)->new_bursts, 4);
    for (uint64_t i = 0; i < 4; i++) {
        make(site, 2000);
    }
    make(site, 2001); /* beyond a period: of its own */
    assert_int_equal(record_of(site)->new_bursts, 6);
    assert_int_equal(record_of(site)->new_step, 2);
}

/* As the results of two layers, of which the last is kept until the next pass has made another. */
static void test_bursts_of_what_ends_in_the_next_pass(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    struct object kept = {0};
    for (uint64_t pass = 0; pass < 80; pass++) {
        make(site, 1000 + pass / 16);
        fill(~UINT64_C(11));
        struct object object = born(site);
        if (kept.start != 0) {
            fill(2000 + (pass - 1) / 16);
            examine_end(sites_at(site), &kept, kept.start);
        }
        kept = object;
    }
    assert_int_equal(record_of(site)->period, 2);
    assert_int_equal(record_of(site)->new_bursts, 5);
    assert_int_equal(record_of(site)->new_step, 32);
}

/* As what PyTorch keeps for backward() ends: each step in reverse. Which of equal objects was the first is seen last. */
static void test_the_rhythm_of_what_ends_in_reverse(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t step = 0; step < 20; step++) {
        struct object objects[12];
        for (unsigned i = 0; i < 12; i++) {
            fill(~UINT64_C(11));
            objects[i] = born(site);
        }
        for (unsigned i = 12; i-- > 0;) {
            fill(1000 + step * 3 + i / 4);
            examine_end(sites_at(site), &objects[i], objects[i].start);
        }
    }
    assert_int_equal(record_of(site)->examined, 240);
    assert_int_equal(record_of(site)->replicas, 180);
    assert_int_equal(record_of(site)->new_first, 1);
    assert_int_equal(record_of(site)->new_last, 237);
    assert_int_equal(record_of(site)->new_step, 4);
    assert_int_equal(record_of(site)->new_bursts, 60);
}

/* A content that turns out to be older than those that were seen after it: then it is not known when they were new. */
static void test_one_that_outlives_others_ends_the_rhythm(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    fill(~UINT64_C(11));
    struct object oldest = born(site);
    for (uint64_t i = 0; i < 24; i++) {
        make(site, 1000 + i / 6);
    }
    assert_int_equal(record_of(site)->new_step, 6);
    fill(1000);
    examine_end(sites_at(site), &oldest, oldest.start);
    assert_int_equal(record_of(site)->new_last, UINT32_MAX);
}

/* The first round may be of any length. */
static void test_a_rhythm_begins_anywhere(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 60; i++) {
        make(site, 1000 + (i + 11) / 12);
    }
    assert_int_equal(record_of(site)->new_first, 1);
    assert_int_equal(record_of(site)->new_last, 50);
    assert_int_equal(record_of(site)->new_step, 12);
    assert_int_equal(record_of(site)->new_bursts, 6);
}

/* Numbers of a calculation have them; small integers, few values, masks have none. */
static void test_contents_with_digits_are_counted(void **state)
{
    (void)state;
    static const enum { NUMBERS, HALVES, COUNTS, FEW } kinds[] = {NUMBERS, HALVES, COUNTS, FEW};
    for (unsigned kind = 0; kind < 4; kind++) {
        uint32_t site = fresh_site(1, BYTES);
        for (unsigned i = 0; i < 20; i++) {
            fill(3);
            struct object object = born(site);
            for (size_t k = 0; k < BYTES / 8; k++) {
                double number = 1.0 / (double)(k + i + 2), few = 1.0 / (double)(k % 7 + i + 3);
                float halves[2] = {1.0F / (float)(2 * k + i + 7), 1.0F / (float)(2 * k + i + 9)};
                uint64_t count = k + i;
                const void *from[] = {&number, halves, &count, &few};
                memcpy(&buffer[k], from[kinds[kind]], sizeof buffer[k]);
            }
            examine_end(sites_at(site), &object, object.start);
        }
        assert_int_equal(record_of(site)->new_digits, kind < 2 ? DB_NEW_MEASURED : 0);
    }
}

/* Each round makes all again that the round before had made, and as many new ones each time. */
static void test_rounds_that_grow(void **state)
{
    (void)state;
    for (uint64_t more = 1; more <= 5; more += 4) {
        uint32_t site = fresh_site(1, BYTES);
        for (uint64_t round = 1; round <= 10; round++) {
            for (uint64_t i = 0; i < round * more; i++) {
                make(site, 1000 + i);
            }
        }
        assert_int_equal(record_of(site)->new_bursts, 10);
        assert_int_equal(record_of(site)->new_growing, 8);
        assert_int_equal(record_of(site)->new_other, 0);
    }
}

/* As many in each round, fewer in each, and nothing more where births are passed over. */
static void test_rounds_that_do_not_grow(void **state)
{
    (void)state;
    uint32_t equal = fresh_site(1, BYTES), shrinking = fresh_site(1, BYTES), passed = fresh_site(1, BYTES);
    for (uint64_t round = 0; round < 10; round++) {
        for (uint64_t i = 0; i < 12; i++) {
            make(equal, 1000 + round);
        }
        for (uint64_t i = round; i < 12; i++) {
            make(shrinking, 1000 + round);
        }
        for (uint64_t i = 0; i <= round; i++) {
            make(passed, 1000 + i);
        }
        if (round == 4) {
            sites_count_birth(sites_at(passed));
        }
    }
    assert_int_equal(record_of(equal)->new_growing, 0);
    assert_int_equal(record_of(equal)->new_other, 8);
    assert_int_equal(record_of(shrinking)->new_growing, 0);
    assert_int_equal(record_of(shrinking)->new_other, 8);
    assert_int_equal(record_of(passed)->new_growing, 3);
    assert_int_equal(record_of(passed)->new_other, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rhythm_of_new_contents),
        cmocka_unit_test(test_the_rhythm_of_bursts),
        cmocka_unit_test(test_bursts_of_what_ends_in_the_next_pass),
        cmocka_unit_test(test_the_rhythm_of_what_ends_in_reverse),
        cmocka_unit_test(test_one_that_outlives_others_ends_the_rhythm),
        cmocka_unit_test(test_a_rhythm_begins_anywhere),
        cmocka_unit_test(test_contents_with_digits_are_counted),
        cmocka_unit_test(test_rounds_that_grow),
        cmocka_unit_test(test_rounds_that_do_not_grow),
    };
    return cmocka_run_group_tests(tests, object_run_begin, scratch_run_end);
}
