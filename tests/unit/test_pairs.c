/* link: shim */
/* Pairs are counted once per kind; verdicts on accesses that a program really makes under the watches are test_watch.c's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "access/io_marks.h"
#include "access/pairs.h"
#include "config.h"
#include "ledger/ledger.h"
#include "process.h"

static struct db_pair pair_of(uint32_t first, uint32_t second)
{
    return (struct db_pair){.first_node = first,
                            .second_node = second,
                            .first_access = DB_ACCESS_LOAD,
                            .second_access = DB_ACCESS_LOAD,
                            .scope = DB_SCOPE_ACROSS,
                            .relation = DB_RELATION_SAME,
                            .address_class = DB_CLASS_OBJECT,
                            .size_bytes = 8};
}

static uint64_t count_of(const struct db_pair *pair, uint64_t *weight_ns, uint32_t *records)
{
    uint64_t count = 0;
    *weight_ns = 0;
    *records = 0;
    for (uint32_t id = 1; ledger_record(DB_KIND_PAIR, id) != NULL; id++) {
        const struct db_pair *record = ledger_record(DB_KIND_PAIR, id);
        if (record->published != 0 && record->first_node == pair->first_node &&
            record->second_node == pair->second_node && record->flags == pair->flags) {
            count += record->count;
            *weight_ns += record->weight_ns;
            ++*records;
        }
    }
    return count;
}

static const struct db_pair *first_of(const struct db_pair *pair)
{
    uint32_t id = 1;
    const struct db_pair *record;
    while ((record = ledger_record(DB_KIND_PAIR, id))->flags != pair->flags) {
        id++;
    }
    return record;
}

static void test_pairs_on_objects_of_other_sites_are_others(void **state)
{
    (void)state;
    struct db_pair pair = pair_of(21, 22), other = pair_of(21, 22);
    pair.site = 1;
    other.site = 2;
    uint64_t weight_ns, by_site[3] = {0};
    uint32_t records;
    pairs_add(&pair, 10, 1);
    pairs_add(&other, 10, 1);
    pairs_add(&other, 10, 1);
    assert_int_equal(count_of(&pair, &weight_ns, &records), 3);
    assert_int_equal(records, 2);
    for (uint32_t id = 1; ledger_record(DB_KIND_PAIR, id) != NULL; id++) {
        const struct db_pair *record = ledger_record(DB_KIND_PAIR, id);
        by_site[record->first_node == 21 ? record->site : 0] += record->count;
    }
    assert_int_equal(by_site[1], 1);
    assert_int_equal(by_site[2], 2);
}

static void test_equal_pairs_are_one_record(void **state)
{
    (void)state;
    uint64_t weight_ns;
    uint32_t records;
    struct db_pair pair = pair_of(1, 2), other = pair_of(1, 2);
    other.flags = DB_PAIR_SAME_VALUE;
    for (int i = 0; i < 5; i++) {
        pairs_add(&pair, 10, 4);
    }
    pairs_add(&other, 3, 1);
    assert_int_equal(count_of(&pair, &weight_ns, &records), 5);
    assert_int_equal(weight_ns, 50);
    assert_int_equal(first_of(&pair)->scale, 5 * 4);
    assert_int_equal(first_of(&pair)->scale_squares, 5 * 16);
    assert_int_equal(records, 1);
    assert_int_equal(count_of(&other, &weight_ns, &records), 1);
    assert_int_equal(weight_ns, 3);
}

#define THREADS 4
#define ROUNDS 2000

static void *add_many(void *unused)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct db_pair pair = pair_of(100 + i % 50, 7);
        pairs_add(&pair, 1, 1);
    }
    return unused;
}

static void test_threads_lose_no_pair(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (uint32_t i = 0; i < 50; i++) {
        uint64_t weight_ns;
        uint32_t records;
        struct db_pair pair = pair_of(100 + i, 7);
        assert_int_equal(count_of(&pair, &weight_ns, &records), THREADS * ROUNDS / 50);
        assert_int_equal(records, 1);
    }
}

static void test_marks_reach_the_watches_they_overlap(void **state)
{
    (void)state;
    static char buffer[64];
    struct io_range *low = io_range_take(), *high = io_range_take();
    io_range_set(low, (uintptr_t)buffer, 8);
    io_range_set(high, (uintptr_t)buffer + 32, 8);
    assert_int_equal(io_watched, 2);
    io_mark((uintptr_t)buffer, 16, IO_USED);
    io_mark((uintptr_t)buffer + 64, 16, IO_GONE);
    assert_int_equal(low->marks, IO_USED);
    assert_int_equal(high->marks, 0);
    io_mark((uintptr_t)buffer, 64, IO_REWRITTEN);
    assert_int_equal(low->marks, IO_USED | IO_REWRITTEN);
    assert_int_equal(high->marks, IO_REWRITTEN);
    io_range_give(low);
    io_range_give(high);
    assert_int_equal(io_watched, 0);
}

static int start(void **state)
{
    static char directory[] = "/tmp/pieprof-pairs-XXXXXX";
    (void)state;
    if (mkdtemp(directory) == NULL || chdir(directory) != 0) {
        return 1;
    }
    setenv("PIEPROF_RUN", "pairs", 1);
    return config_read() && ledger_open() && process_begin() && pairs_start() ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_pairs_are_one_record),
        cmocka_unit_test(test_pairs_on_objects_of_other_sites_are_others),
        cmocka_unit_test(test_threads_lose_no_pair),
        cmocka_unit_test(test_marks_reach_the_watches_they_overlap),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
