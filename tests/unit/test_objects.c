/* link: shim */
/* What becomes of objects at their end: filled or not, constant, replicas and their period, copies, links, full tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"
#include "ledger/ledger.h"
#include "objects/content.h"
#include "objects/examine.h"
#include "objects/history.h"
#include "objects/recent.h"
#include "objects/sites.h"
#include "process.h"
#include "scratch_run.h"
#include "signals.h"

#define BYTES 32768u

static uint64_t stack_hash = 1, serial;
static uint64_t buffer[BYTES / 8 + 2];

static uint32_t fresh_site(uint64_t maker, size_t size_bytes)
{
    struct site_key key = {.stack_hash = stack_hash, .instruction = stack_hash, .size_bytes = size_bytes};
    stack_hash++;
    uint32_t number = sites_find(&key);
    assert_true(number != 0);
    assert_int_equal(sites_find(&key), number);
    sites_at(number)->maker = maker;
    return number;
}

static const struct db_site *record_of(uint32_t number)
{
    return sites_at(number)->record;
}

/* Content that differs in each line. */
static void fill(uint64_t seed)
{
    for (size_t i = 0; i < BYTES / 8; i++) {
        buffer[i] = seed * 1000003 + i;
    }
}

static struct object born(uint32_t number)
{
    struct site *site = sites_at(number);
    struct object object = {.start = (uintptr_t)buffer, .size_bytes = BYTES, .serial = ++serial};
    object_map_birth((uintptr_t)buffer, BYTES); /* the map's clock goes on */
    assert_true(object_map_death((uintptr_t)buffer, BYTES));
    object.serial = object_map_last_serial();
    object.origin.site = number;
    object.origin.birth = sites_count_birth(site);
    process_count(&site->record->looked_at, 1);
    examine_birth(site, object.start, &object.origin);
    return object;
}

/* An object of that content, born into leftovers of another. */
static void make(uint32_t number, uint64_t seed)
{
    fill(~seed);
    struct object object = born(number);
    fill(seed);
    examine_end(sites_at(number), &object, object.start);
}

static void test_n_minus_one_of_n_equal_the_one_before(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (int i = 0; i < 200; i++) {
        make(site, 7);
    }
    const struct db_site *record = record_of(site);
    assert_int_equal(record->examined, 200);
    assert_int_equal(record->replicas, 199);
    assert_int_equal(record->period, 1);
    assert_int_equal(record->period_replicas, 199);
}

static void test_an_epoch_is_the_period(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 24 * 14; i++) {
        make(site, 100 + i % 14);
    }
    assert_int_equal(record_of(site)->replicas, 23 * 14);
    assert_int_equal(record_of(site)->period, 14);
    assert_int_equal(record_of(site)->period_replicas, 23 * 14);
}

static void test_different_contents_are_no_replicas(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 200; i++) {
        make(site, 1000 + i);
    }
    assert_int_equal(record_of(site)->examined, 200);
    assert_int_equal(record_of(site)->replicas, 0);
}

/* A chunk that comes back with what it held, and a few elements stored. */
static void test_leftovers_are_unfilled(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    fill(5);
    for (uint64_t i = 0; i < 100; i++) {
        struct object object = born(site);
        buffer[1] = 1000 + i / 2;
        examine_end(sites_at(site), &object, object.start);
    }
    assert_int_equal(record_of(site)->unfilled, 100);
    assert_int_equal(record_of(site)->examined, 100);
}

/* An equal object had just been freed there: nobody knows, until one is seen to be filled. */
static void test_the_same_bytes_may_have_been_written_again(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    fill(5);
    for (uint64_t i = 0; i < 50; i++) {
        struct object object = born(site);
        fill(5);
        examine_end(sites_at(site), &object, object.start);
    }
    assert_int_equal(record_of(site)->unfilled, 50);
    make(site, 6);
    assert_int_equal(record_of(site)->unfilled, 0);
    assert_int_equal(record_of(site)->examined, 51);
    assert_int_equal(record_of(site)->replicas, 49);
}

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
    make(site, 2000);
    make(site, 2001);
    assert_int_equal(record_of(site)->new_last, 62);
    assert_int_equal(record_of(site)->new_step, 1);
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

/* Unless the same instruction was seen to fill one on another path. */
static void test_leftovers_of_the_same_instruction_are_results(void **state)
{
    (void)state;
    uint32_t first = fresh_site(1, BYTES), second = fresh_site(1, BYTES);
    sites_at(second)->instruction = sites_at(first)->instruction;
    make(first, 4);
    for (uint64_t i = 0; i < 10; i++) {
        struct object object = born(second);
        examine_end(sites_at(second), &object, object.start);
    }
    assert_int_equal(record_of(second)->replicas, 9);
}

static void test_constants_are_their_own_class(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 10; i++) {
        fill(3);
        struct object object = born(site);
        for (size_t at = 0; at < BYTES / 8; at++) {
            buffer[at] = i < 5 ? 0 : UINT64_C(0x3ff0000000000000);
        }
        examine_end(sites_at(site), &object, object.start);
    }
    assert_int_equal(record_of(site)->examined, 10);
    assert_int_equal(record_of(site)->constant, 10);
    assert_int_equal(record_of(site)->zero, 5);
    assert_int_equal(record_of(site)->replicas, 0);
}

/* One element between the sampled lines differs: what samples say is not believed. */
static void test_equal_samples_of_different_contents_are_found_out(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 50; i++) {
        fill(~UINT64_C(9));
        struct object object = born(site);
        fill(9);
        buffer[100] = i;
        examine_end(sites_at(site), &object, object.start);
    }
    assert_int_equal(record_of(site)->examined, 50);
    assert_int_equal(record_of(site)->looked_at, 50);
    assert_int_equal(record_of(site)->replicas, 0);
    assert_int_equal(record_of(site)->period_replicas, 0);
}

/* A content that differs all over by its seed, and between the sampled lines by its variant. */
static void examine_content(uint32_t site, uint64_t seed, uint64_t variant)
{
    fill(~UINT64_C(9));
    struct object object = born(site);
    fill(seed);
    buffer[100] = variant;
    examine_end(sites_at(site), &object, object.start);
}

/* Eight contents come round, two of them of equal samples: those from before that is found out are known by their proofs. */
static void test_what_samples_were_distrusted_for_comes_round_exactly(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 40; i++) {
        examine_content(site, i % 8 == 2 ? 31 : 30 + i % 8, i % 8);
    }
    assert_int_equal(record_of(site)->examined, 40);
    assert_int_equal(record_of(site)->replicas, 32);
    assert_int_equal(record_of(site)->period, 8);
}

/* Where samples differed contents did, too. Of one of which a sample alone is known it is open whether another is equal to it. */
static void test_what_samples_alone_know_is_open(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 6; i++) {
        examine_content(site, 60 + i, 1);
    }
    examine_content(site, 62, 2); /* a proof tells it from the third */
    examine_content(site, 65, 1); /* none tells whether it is the sixth */
    assert_int_equal(record_of(site)->examined, 7);
    assert_int_equal(record_of(site)->looked_at, 7);
    assert_int_equal(record_of(site)->replicas, 0);
    examine_content(site, 65, 1);
    examine_content(site, 62, 2);
    assert_int_equal(record_of(site)->examined, 9);
    assert_int_equal(record_of(site)->replicas, 2);
}

/* What changes where no sample lies, and stays, shows at the next proof; what was proved before still counts. */
static void test_a_change_between_proofs_is_found(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 1; i <= 100; i++) {
        examine_content(site, 60, i <= 40 ? 1 : 2);
    }
    assert_int_equal(record_of(site)->replicas, 31 + 36); /* to the proof of the 32nd, and from that of the 64th on */
    assert_int_equal(record_of(site)->examined, 100 - 31);
}

/* Where there are few objects, one that samples alone call equal would be a large part of them: they are not believed at all. */
static void test_samples_do_not_decide_of_few_objects(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 4; i++) {
        fill(~UINT64_C(9));
        struct object object = born(site);
        fill(i < 2 ? 20 + i : 9); /* two that differ all over, then two that differ between the lines */
        buffer[100] = i;
        examine_end(sites_at(site), &object, object.start);
        assert_int_equal(record_of(site)->replicas, 0);
    }
}

/* Of two equal objects the later born is the replica, whichever dies first. */
static void test_earlier_is_by_birth(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    struct object objects[4];
    for (unsigned i = 0; i < 4; i++) {
        fill(~UINT64_C(11));
        objects[i] = born(site);
    }
    fill(11);
    for (unsigned i = 4; i-- > 0;) {
        examine_end(sites_at(site), &objects[i], objects[i].start);
    }
    assert_int_equal(record_of(site)->replicas, 3);
}

static uint64_t linked(uint32_t first, uint32_t second)
{
    uint64_t objects = 0;
    const struct db_link *link;
    for (uint32_t id = 1; (link = ledger_record(DB_KIND_LINK, id)) != NULL; id++) {
        bool is_it = link->first_site == sites_at(first)->id && link->second_site == sites_at(second)->id;
        objects += is_it ? link->objects : 0;
    }
    return objects;
}

static void test_the_same_function_elsewhere_is_a_link(void **state)
{
    (void)state;
    uint32_t first = fresh_site(77, BYTES), second = fresh_site(77, BYTES), other = fresh_site(78, BYTES);
    for (uint64_t i = 0; i < 100; i++) {
        make(first, 5000 + i);
        make(second, 5000 + i);
        make(other, 5000 + i); /* another function, after the others died: chance, or not for us to say */
    }
    assert_int_equal(linked(first, second), 100);
    assert_int_equal(linked(second, first), 0);
    assert_int_equal(linked(first, other) + linked(second, other), 0);
    assert_int_equal(record_of(second)->copies + record_of(other)->copies, 0);
}

static void test_a_copy_is_no_replica(void **state)
{
    (void)state;
    uint32_t source = fresh_site(80, BYTES), copy = fresh_site(81, BYTES);
    for (uint64_t i = 0; i < 20; i++) {
        fill(0);
        struct object original = born(source);
        struct object duplicate = born(copy);
        fill(7000 + i);
        /* Whichever dies first. */
        examine_end(sites_at(i % 2 ? source : copy), i % 2 ? &original : &duplicate, original.start);
        examine_end(sites_at(i % 2 ? copy : source), i % 2 ? &duplicate : &original, original.start);
    }
    assert_int_equal(record_of(copy)->copies, 20);
    assert_int_equal(record_of(copy)->replicas + record_of(source)->replicas + record_of(source)->copies, 0);
    assert_int_equal(linked(source, copy), 0);
}

static void test_memory_that_is_gone_is_skipped(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    void *page = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct object object = born(site);
    assert_true(signals_start()); /* guarded reads of what is not there; the test's frame has its own handler before */
    examine_end(sites_at(site), &object, (uintptr_t)page);
    munmap(page, BYTES);
    assert_int_equal(record_of(site)->looked_at, 0);
    assert_int_equal(record_of(site)->examined, 0);
}

static void test_a_history_forgets_the_oldest_and_counts_the_commonest(void **state)
{
    (void)state;
    static struct history history;
    struct distances distances = {{0}, {0}};
    uint32_t votes = 0;
    for (uint32_t i = 0; i < HISTORY_ENTRIES + 1; i++) {
        history_add(&history, 100 + i, 0, i + 1, -1, false);
    }
    assert_int_equal(history_find(&history, 100, 200), -1);
    assert_true(history_find(&history, 101, 200) >= 0);
    for (uint32_t distance = 1; distance <= 2 * DISTANCES_KEPT; distance++) {
        distances_vote(&distances, distance);
        distances_vote(&distances, 3);
    }
    assert_int_equal(distances_commonest(&distances, &votes), 3);
    assert_true(votes >= 2 * DISTANCES_KEPT);
    distances_forget(&distances);
    assert_int_equal(distances_commonest(&distances, &votes), 0);
}

static void test_samples_do_not_depend_on_the_address(void **state)
{
    (void)state;
    struct content_sample aligned, moved;
    fill(21);
    assert_true(content_sample_take(&aligned, (uintptr_t)buffer, BYTES - 4));
    memmove((char *)buffer + 3, buffer, BYTES - 4);
    assert_true(content_sample_take(&moved, (uintptr_t)buffer + 3, BYTES - 4));
    assert_true(content_sample_digest(&aligned) == content_sample_digest(&moved));
}

/* Last: afterwards there is no room. */
/* Once it is half full, a place gets its site at its second birth. */
static void test_a_full_table_is_counted(void **state)
{
    (void)state;
    uint32_t refused_first = 0;
    uint32_t refused_again = 0;
    for (uint32_t i = 0; i < SITES_MAX + 10; i++) {
        struct site_key key = {.stack_hash = stack_hash++, .size_bytes = 4096};
        ledger_reserve();
        refused_first += sites_find(&key) == 0 ? 1 : 0;
        refused_again += sites_find(&key) == 0 ? 1 : 0;
    }
    assert_true(refused_first >= SITES_MAX / 2 && refused_again >= 10);
    assert_int_equal(process_record->dropped[DB_DROP_SITES_FULL], refused_again);
}

static int start(void **state)
{
    (void)state;
    if (!scratch_run_begin() || !config_read() || !ledger_open()) {
        return 1;
    }
    ledger_reserve();
    return object_map_start() && sites_start() && recent_start() ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_n_minus_one_of_n_equal_the_one_before),
        cmocka_unit_test(test_an_epoch_is_the_period),
        cmocka_unit_test(test_different_contents_are_no_replicas),
        cmocka_unit_test(test_leftovers_are_unfilled),
        cmocka_unit_test(test_the_same_bytes_may_have_been_written_again),
        cmocka_unit_test(test_the_rhythm_of_new_contents),
        cmocka_unit_test(test_a_rhythm_begins_anywhere),
        cmocka_unit_test(test_contents_with_digits_are_counted),
        cmocka_unit_test(test_a_change_between_proofs_is_found),
        cmocka_unit_test(test_leftovers_of_the_same_instruction_are_results),
        cmocka_unit_test(test_constants_are_their_own_class),
        cmocka_unit_test(test_equal_samples_of_different_contents_are_found_out),
        cmocka_unit_test(test_what_samples_were_distrusted_for_comes_round_exactly),
        cmocka_unit_test(test_what_samples_alone_know_is_open),
        cmocka_unit_test(test_samples_do_not_decide_of_few_objects),
        cmocka_unit_test(test_earlier_is_by_birth),
        cmocka_unit_test(test_the_same_function_elsewhere_is_a_link),
        cmocka_unit_test(test_a_copy_is_no_replica),
        cmocka_unit_test(test_memory_that_is_gone_is_skipped),
        cmocka_unit_test(test_a_history_forgets_the_oldest_and_counts_the_commonest),
        cmocka_unit_test(test_samples_do_not_depend_on_the_address),
        cmocka_unit_test(test_a_full_table_is_counted),
    };
    return cmocka_run_group_tests(tests, start, scratch_run_end);
}
