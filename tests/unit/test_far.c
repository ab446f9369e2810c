/* link: shim */
/* Far histories: any period, shuffled orders, a full table that selects more narrowly, giving up, and what sites record. */
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
#include "objects/content.h"
#include "objects/far.h"
#include "objects/far_history.h"
#include "objects/sites.h"
#include "process.h"
#include "scratch_run.h"

#define BYTES 32768u
#define PERIOD 500u

static struct far_history history;

/* A well mixed number (splitmix64). */
static uint64_t mix(uint64_t number)
{
    number += UINT64_C(0x9E3779B97F4A7C15);
    number = (number ^ number >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ number >> 27) * UINT64_C(0x94D049BB133111EB);
    return number ^ number >> 31;
}

/* An object of that content comes; false when the history gives up. */
static bool come(uint64_t content, uint32_t birth)
{
    uint32_t selector = (uint32_t)mix(content);
    uint64_t digest = mix(~content);
    if (!far_history_may_select(&history, selector)) {
        return true;
    }
    uint32_t entry = far_history_find(&history, digest);
    if (entry < FAR_ENTRIES) {
        far_history_count(&history, entry, birth);
        return true;
    }
    return far_history_add(&history, selector, digest, birth);
}

/* The same order every time for one seed. */
static void shuffle(uint32_t *order, uint32_t count, uint64_t seed)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = (uint32_t)(mix(seed * 1000003 + i) % i), last = order[i - 1];
        order[i - 1] = order[other];
        order[other] = last;
    }
}

static void test_any_period_is_found(void **state)
{
    (void)state;
    for (uint32_t period = 1; period <= 12000; period = period * 3 + 1) {
        uint32_t votes = 0;
        far_history_empty(&history);
        for (uint32_t birth = 1; birth <= 5 * period; birth++) {
            assert_true(come(birth % period, birth));
        }
        struct far_sums sums = far_history_sum(&history);
        assert_int_equal(sums.examined, 5 * history.entries);
        assert_int_equal(sums.squares, 25 * history.entries);
        assert_int_equal(sums.spans, (uint64_t)history.entries * 4 * period);
        assert_int_equal(distances_commonest(&history.distances, &votes), period);
        assert_int_equal(votes, 4 * history.entries);
        /* One in 2^bits is kept: five standard deviations. */
        int64_t off = ((int64_t)history.entries << history.bits) - period;
        assert_true(off * off <= ((int64_t)25 * period) << history.bits);
    }
}

static void test_any_order_is_found(void **state)
{
    (void)state;
    static uint32_t order[PERIOD];
    far_history_empty(&history);
    for (uint32_t i = 0; i < PERIOD; i++) {
        order[i] = i;
    }
    for (uint32_t birth = 0; birth < 6 * PERIOD; birth++) {
        if (birth % PERIOD == 0) {
            shuffle(order, PERIOD, birth);
        }
        assert_true(come(order[birth % PERIOD], birth + 1));
    }
    uint32_t votes = 0;
    struct far_sums sums = far_history_sum(&history);
    assert_true(history.bits >= 3 && history.entries > 16);
    assert_int_equal(sums.examined, 6 * history.entries);
    distances_commonest(&history.distances, &votes);
    assert_true(votes * 2 < sums.examined);
}

/* Whatever the selection drops, it drops whole: what is left says of its contents all there was. */
static void test_selecting_more_narrowly_keeps_counts_whole(void **state)
{
    (void)state;
    uint32_t births = 0, bits = 0, times[4] = {0};
    far_history_empty(&history);
    for (uint64_t content = 0; content < 2000; content++) {
        for (uint64_t time = 0; time <= content % 4; time++) {
            assert_true(come(content, ++births));
        }
        assert_true(history.bits >= bits && history.entries <= FAR_ENTRIES);
        bits = history.bits;
    }
    for (uint64_t content = 0; content < 2000; content++) {
        uint32_t entry = far_history_find(&history, mix(~content));
        assert_int_equal(entry < FAR_ENTRIES, (mix(content) & ((1u << bits) - 1)) == 0);
        if (entry < FAR_ENTRIES) {
            assert_int_equal(history.counts[entry], content % 4 + 1);
            times[content % 4]++;
        }
    }
    assert_true(bits >= 5 && times[0] + times[1] + times[2] + times[3] == history.entries);
}

static void test_too_many_contents_are_given_up(void **state)
{
    (void)state;
    uint32_t birth = 1;
    far_history_empty(&history);
    while (come(birth, birth) && birth < 100000) {
        birth++;
    }
    assert_int_equal(history.bits, DB_FAR_BITS_MAX);
    assert_in_range(birth, FAR_ENTRIES << (DB_FAR_BITS_MAX - 1), FAR_ENTRIES << (DB_FAR_BITS_MAX + 1));
}

/* Pictures with black where the selector looks: the digests select instead, and all are still counted. */
static void test_selectors_that_are_alike_are_not_used(void **state)
{
    (void)state;
    for (uint32_t selector = 0; selector < 2; selector++) {
        far_history_empty(&history);
        for (uint32_t birth = 1; birth <= 4 * PERIOD; birth++) {
            uint64_t digest = mix(birth % PERIOD);
            uint32_t entry = far_history_find(&history, digest);
            if (entry < FAR_ENTRIES) {
                far_history_count(&history, entry, birth);
            } else if (far_history_may_select(&history, selector)) {
                assert_true(far_history_add(&history, selector, digest, birth));
            }
        }
        assert_true(history.by_digest && history.entries > 16);
        assert_int_equal(far_history_sum(&history).examined, 4 * history.entries);
    }
}

static uint64_t buffer[BYTES / 8];
static uint64_t stack_hash = 1;

static struct site *fresh_site(void)
{
    struct site_key key = {.stack_hash = stack_hash, .instruction = stack_hash, .size_bytes = BYTES};
    stack_hash++;
    ledger_reserve();
    struct site *site = sites_at(sites_find(&key));
    site->fills = true;
    return site;
}

static void fill(uint64_t seed)
{
    for (size_t i = 0; i < BYTES / 8; i++) {
        buffer[i] = mix(seed * 1000003 + i);
    }
}

/* Of what stands in the buffer. */
static void end_object(struct site *site)
{
    struct object object = {
        .start = (uintptr_t)buffer, .size_bytes = BYTES, .origin = {.birth = sites_count_birth(site)}};
    uint32_t selector = 0;
    if (far_wants(site, BYTES, object.origin.birth) && far_selects(site, object.start, &selector)) {
        far_meet(site, &object, object.start, selector);
    }
}

static void test_a_site_records_what_comes_again(void **state)
{
    (void)state;
    struct site *site = fresh_site();
    for (uint32_t birth = 1; birth <= 1000; birth++) {
        fill(birth % 100);
        end_object(site);
    }
    const struct db_site *record = site->record;
    assert_int_equal(record->far_births, 1000 - 16);
    assert_int_equal(record->far_period, 100);
    assert_true(record->far_bits > 0 && record->far_contents > 16 && record->far_contents <= FAR_ENTRIES);
    assert_in_range(record->far_examined, 9 * record->far_contents, 10 * record->far_contents);
    assert_int_equal(record->far_period_replicas, record->far_examined - record->far_contents);
}

static void test_small_and_constant_objects_are_left_out(void **state)
{
    (void)state;
    struct site *site = fresh_site();
    assert_false(far_wants(site, DB_FAR_MIN_BYTES - 1, 100));
    assert_false(far_wants(site, DB_FAR_MIN_BYTES, 16));
    assert_true(far_wants(site, DB_FAR_MIN_BYTES, 17));
    memset(buffer, 7, sizeof buffer);
    for (uint32_t birth = 1; birth <= 100; birth++) {
        end_object(site);
    }
    assert_int_equal(site->record->far_examined, 0);
}

/* What the near history says nearly all of needs no other. */
static void test_a_site_whose_objects_equal_the_one_before_is_left_to_the_near_history(void **state)
{
    (void)state;
    struct site *site = fresh_site();
    atomic_store(&site->last_match, 1);
    site->record->examined = 256;
    site->record->replicas = 255;
    assert_true(far_wants(site, BYTES, 256));
    assert_false(far_wants(site, BYTES, 257));
    site->record->replicas = 200;
    assert_true(far_wants(site, BYTES, 257));
}

/* One element beside all samples differs: then whole contents are compared. */
static void test_equal_samples_of_different_contents_are_found_out(void **state)
{
    (void)state;
    struct site *site = fresh_site();
    fill(1);
    for (uint32_t birth = 1; birth <= 80; birth++) {
        buffer[100] = birth;
        end_object(site);
    }
    assert_true(site->record->far_contents > 16);
    assert_int_equal(site->record->far_examined, site->record->far_contents);
}

static void test_a_site_without_repeats_is_asked_no_more(void **state)
{
    (void)state;
    struct site *site = fresh_site();
    uint32_t birth = 1;
    for (; birth < 100000 && far_wants(site, BYTES, birth + 16); birth++) {
        fill(birth);
        end_object(site);
    }
    assert_in_range(birth, FAR_ENTRIES << (DB_FAR_BITS_MAX - 1), FAR_ENTRIES << (DB_FAR_BITS_MAX + 1));
    assert_int_equal(site->record->far_examined + site->record->far_births + site->record->far_contents, 0);
}

/* Last: afterwards there is none left. */
static void test_tables_are_bounded_and_their_want_is_counted(void **state)
{
    (void)state;
    uint32_t without = 0, sites = 1200;
    for (uint32_t i = 0; i < sites; i++) {
        struct site *site = fresh_site();
        for (uint32_t birth = 1; birth <= 20; birth++) {
            fill(birth);
            end_object(site);
        }
        without += far_wants(site, BYTES, 21) ? 0 : 1;
    }
    assert_true(without > 0 && without < sites);
    assert_int_equal(process_record->dropped[DB_DROP_TABLE_FULL], without);
}

static int start(void **state)
{
    (void)state;
    return scratch_run_begin() && config_read() && ledger_open() && sites_start() && far_start() ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_period_is_found),
        cmocka_unit_test(test_any_order_is_found),
        cmocka_unit_test(test_selecting_more_narrowly_keeps_counts_whole),
        cmocka_unit_test(test_too_many_contents_are_given_up),
        cmocka_unit_test(test_selectors_that_are_alike_are_not_used),
        cmocka_unit_test(test_a_site_records_what_comes_again),
        cmocka_unit_test(test_small_and_constant_objects_are_left_out),
        cmocka_unit_test(test_a_site_whose_objects_equal_the_one_before_is_left_to_the_near_history),
        cmocka_unit_test(test_equal_samples_of_different_contents_are_found_out),
        cmocka_unit_test(test_a_site_without_repeats_is_asked_no_more),
        cmocka_unit_test(test_tables_are_bounded_and_their_want_is_counted),
    };
    return cmocka_run_group_tests(tests, start, scratch_run_end);
}
