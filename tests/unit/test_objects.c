/* link: shim */
/* What becomes of objects at their end: filled or not, constant, replicas and their period, full tables. */
#include <sys/mman.h>
#include <unistd.h>

#include "object_run.h"
#include "objects/content.h"
#include "objects/history.h"
#include "signals.h"

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

/* Kept while a hundred others come and go: what is equal to those still is one of them, and only what is not remains open. */
static void test_what_outlives_many_is_equal_all_the_same(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    struct object kept = {0}, other = {0};
    for (uint64_t i = 1; i <= 400; i++) {
        fill(~UINT64_C(11));
        struct object object = born(site);
        fill(11);
        if (i % 100 == 50) {
            if (kept.start != 0) {
                examine_end(sites_at(site), &kept, kept.start);
            }
            kept = object;
        } else if (i == 7) {
            other = object;
        } else {
            examine_end(sites_at(site), &object, object.start);
        }
    }
    examine_end(sites_at(site), &kept, kept.start);
    assert_int_equal(record_of(site)->replicas, 398);
    assert_int_equal(record_of(site)->examined, 399);
    fill(12);
    examine_end(sites_at(site), &other, other.start);
    assert_int_equal(record_of(site)->examined, 399);
    assert_int_equal(record_of(site)->undecided, 1);
    assert_int_equal(record_of(site)->new_last, 1);
}

/* The first of two neighbours is there for the second alone, in whatever order they end. */
static void test_a_primer_speaks_of_its_neighbour_alone(void **state)
{
    (void)state;
    for (unsigned first_ends_last = 0; first_ends_last < 2; first_ends_last++) {
        uint32_t site = fresh_site(1, BYTES);
        for (uint64_t i = 0; i < 40; i++) {
            fill(~UINT64_C(11));
            struct object primer = born(site), object = born(site);
            primer.origin.is_primer = 1;
            fill(i / 2); /* equal to its neighbour, and every other one to the pair before */
            examine_end(sites_at(site), first_ends_last ? &object : &primer, primer.start);
            examine_end(sites_at(site), first_ends_last ? &primer : &object, primer.start);
        }
        assert_int_equal(record_of(site)->replicas, 40);
        assert_int_equal(record_of(site)->examined, 40);
        assert_int_equal(record_of(site)->new_last, first_ends_last ? UINT32_MAX : 0);
    }
}

/* What is glanced at is held against what was looked at, and against the neighbour that was glanced at before it; no more. */
#define CLEARED UINT64_MAX
static void test_a_glance_counts_nothing(void **state)
{
    static const struct {
        uint64_t seeds[4];
        unsigned unlike, last_known;
    } cases[] = {{{1, 2, 1, 2}, 0, 84},
                 {{1, 2, 3, 3}, DB_UNLIKE_BEFORE, 82},
                 {{1, 3, 1, 3}, DB_UNLIKE_BEFORE, 83},
                 {{1, 3, 4, 1}, DB_UNLIKE_BEFORE | DB_UNLIKE_NEXT, 84},
                 {{1, CLEARED, 1, 1}, DB_UNLIKE_BEFORE, 84}};
    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t site = fresh_site(1, BYTES);
        for (unsigned birth = 0; birth < 84; birth++) {
            struct object object = born(site);
            object.origin.is_primer = object.origin.is_glanced_at = birth >= 80;
            uint64_t seed = birth < 80 ? birth % 2 + 1 : cases[i].seeds[birth - 80];
            fill(seed);
            if (seed == CLEARED) {
                memset(buffer, 0, BYTES);
            }
            examine_end(sites_at(site), &object, object.start);
        }
        assert_int_equal(record_of(site)->unlike, cases[i].unlike);
        assert_int_equal(record_of(site)->last_known, cases[i].last_known);
        assert_int_equal(record_of(site)->recurring, 2);
        assert_int_equal(record_of(site)->replicas, 78);
        assert_int_equal(record_of(site)->examined, 80);
    }
}

/* One of three stays: a content that comes again, until it is forgotten, or was out of sight where glances would have seen it. */
static void test_what_comes_again_is_one_content(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 120; i++) {
        make(site, i % 3 == 0 ? 7 : 100 + i);
    }
    assert_int_equal(record_of(site)->recurring, 1);
    assert_int_equal(record_of(site)->last_known, 118);
    for (uint64_t i = 0; i < HISTORY_ENTRIES; i++) {
        make(site, 1000 + i);
    }
    make(site, 7);
    assert_int_equal(record_of(site)->recurring, 1);
    make(site, 7);
    assert_int_equal(record_of(site)->recurring, 2);
    assert_int_equal(record_of(site)->last_known, 122 + HISTORY_ENTRIES);
    for (unsigned i = 0; i < 2; i++) {
        struct object late = born(site);
        late.origin.birth = record_of(site)->last_known + (uint32_t)db_out_of_sight(200, 3) + i;
        fill(7);
        examine_end(sites_at(site), &late, late.start);
        assert_int_equal(record_of(site)->recurring, 2 + i);
    }
}

/* A list of results, freed at its end from its last to its first: each is new. */
static void test_what_is_kept_to_the_end_is_new(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    struct object objects[200];
    for (unsigned i = 0; i < 200; i++) {
        fill(~UINT64_C(11));
        objects[i] = born(site);
    }
    for (unsigned i = 200; i-- > 0;) {
        fill(300 + i);
        examine_end(sites_at(site), &objects[i], objects[i].start);
    }
    assert_int_equal(record_of(site)->examined, 200);
    assert_int_equal(record_of(site)->undecided, 0);
    assert_int_equal(record_of(site)->replicas, 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_n_minus_one_of_n_equal_the_one_before),
        cmocka_unit_test(test_an_epoch_is_the_period),
        cmocka_unit_test(test_different_contents_are_no_replicas),
        cmocka_unit_test(test_leftovers_are_unfilled),
        cmocka_unit_test(test_the_same_bytes_may_have_been_written_again),
        cmocka_unit_test(test_leftovers_of_the_same_instruction_are_results),
        cmocka_unit_test(test_constants_are_their_own_class),
        cmocka_unit_test(test_earlier_is_by_birth),
        cmocka_unit_test(test_what_outlives_many_is_equal_all_the_same),
        cmocka_unit_test(test_a_primer_speaks_of_its_neighbour_alone),
        cmocka_unit_test(test_a_glance_counts_nothing),
        cmocka_unit_test(test_what_comes_again_is_one_content),
        cmocka_unit_test(test_what_is_kept_to_the_end_is_new),
        cmocka_unit_test(test_memory_that_is_gone_is_skipped),
        cmocka_unit_test(test_a_history_forgets_the_oldest_and_counts_the_commonest),
        cmocka_unit_test(test_samples_do_not_depend_on_the_address),
        cmocka_unit_test(test_a_full_table_is_counted),
    };
    return cmocka_run_group_tests(tests, object_run_begin, scratch_run_end);
}
