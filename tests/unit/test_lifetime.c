/* link: -Wl,--whole-archive shim -Wl,--no-whole-archive */
/* Live bytes: what comes and goes balances by every function, the peak and what stood there, the curve, forked children. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child_check.h"
#include "config.h"
#include "gate.h"
#include "kernel.h"
#include "ledger/ledger.h"
#include "objects/hooks_malloc.h"
#include "objects/lifetime.h"
#include "objects/object_map.h"
#include "objects/replica.h"
#include "objects/sites.h"
#include "process.h"
#include "scratch_run.h"

#pragma GCC diagnostic ignored "-Wuse-after-free" /* a realloc that fails leaves the block alone */

#define MIB ((size_t)1 << 20)
#define KIB ((size_t)1 << 10)
#define PENDING_BYTES (64 * KIB)

static uint64_t stack_hash = 1;
static uint32_t live_id = 1;

/* What a thread keeps to itself is told first. */
static const struct db_live *live(void)
{
    lifetime_flush();
    return ledger_record(DB_KIND_LIVE, live_id);
}

static struct db_site *fresh_site(size_t size_bytes)
{
    struct site_key key = {.stack_hash = stack_hash, .instruction = stack_hash, .size_bytes = size_bytes};
    stack_hash++;
    return sites_at(sites_find(&key))->record;
}

/* An object of the site; one without a site where it is NULL. */
static struct object born(struct db_site *site, size_t size_bytes)
{
    struct object object = {.size_bytes = size_bytes + 100, .origin = {.slack_bytes = 100}};
    if (site != NULL) {
        object.origin.birth = (uint32_t)++site->births;
    }
    lifetime_born(site, size_bytes, &object.origin);
    assert_true(object.origin.is_counted);
    return object;
}

static void test_what_goes_had_come(void **state)
{
    (void)state;
    struct db_site *site = fresh_site(MIB);
    int64_t before = live()->bytes;
    struct object large = born(site, MIB), small = born(NULL, 1000), siteless = born(NULL, 20 * KIB);
    assert_int_equal(live()->bytes - before, MIB + 1000 + 20 * KIB);
    assert_int_equal(live()->small_bytes, 1000);
    assert_int_equal(live()->siteless_bytes, 20 * KIB);
    lifetime_ended(NULL, &siteless);
    lifetime_ended(NULL, &small);
    lifetime_ended(site, &large);
    assert_int_equal(live()->bytes, before);
    assert_int_equal(live()->small_bytes, 0);
    assert_int_equal(live()->siteless_bytes, 0);
    assert_int_equal(site->ended, 1);
}

/* Small objects are told in parts of PENDING_BYTES; nothing is lost. */
static void test_small_ones_are_one_sum(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static struct object objects[COUNT];
    int64_t before = live()->bytes;
    for (size_t i = 0; i < COUNT; i++) {
        objects[i] = born(NULL, 1024 + i);
    }
    const struct db_live *told = ledger_record(DB_KIND_LIVE, live_id);
    int64_t all = COUNT * 1024 + COUNT * (COUNT - 1) / 2;
    assert_true(before + all - told->bytes < (int64_t)PENDING_BYTES);
    assert_int_equal(live()->bytes - before, all);
    for (size_t i = 0; i < COUNT; i++) {
        lifetime_ended(NULL, &objects[i]);
    }
    assert_int_equal(live()->bytes, before);
}

/* The first fall after a rise finds what stood at the top, to the last object. */
static void test_the_peak_is_told_by_site(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    static struct object objects[COUNT];
    struct db_site *first = fresh_site(MIB), *second = fresh_site(2 * MIB), *third = fresh_site(4 * MIB);
    int64_t before = live()->bytes;
    for (size_t i = 0; i < COUNT; i++) {
        objects[i] = born(i % 3 == 0 ? second : first, i % 3 == 0 ? 2 * MIB : MIB);
    }
    int64_t peak = before + (int64_t)(COUNT / 3 * 4 * MIB);
    lifetime_ended(second, &objects[0]);
    struct object later = born(third, 4 * MIB - 3 * MIB); /* less than what went: no new peak */
    assert_int_equal(live()->peak_bytes, peak);
    assert_int_equal(live()->snapshot_bytes, peak);
    assert_int_equal(first->peak_objects, COUNT * 2 / 3);
    assert_int_equal(second->peak_objects, COUNT / 3);
    assert_int_equal(third->peak_objects, 0);
    lifetime_ended(third, &later);
    for (size_t i = 1; i < COUNT; i++) {
        lifetime_ended(i % 3 == 0 ? second : first, &objects[i]);
    }
    assert_int_equal(live()->bytes, before);
    assert_int_equal(first->peak_objects, COUNT * 2 / 3);
}

/* What never falls is found near the top none the less: the program may be killed. */
static void test_growth_is_noted_as_it_goes(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static struct object objects[COUNT];
    struct db_site *site = fresh_site(MIB);
    for (size_t i = 0; i < COUNT; i++) {
        objects[i] = born(site, MIB);
        assert_true(live()->snapshot_bytes * 17 + 17 * MIB >= live()->peak_bytes * 16);
    }
    assert_true(site->peak_objects > COUNT * 15 / 16);
    lifetime_finish();
    assert_int_equal(site->peak_objects, COUNT);
    assert_int_equal(live()->snapshot_bytes, live()->peak_bytes);
    for (size_t i = 0; i < COUNT; i++) {
        lifetime_ended(site, &objects[i]);
    }
}

static void test_what_comes_in_place_of_what_went(void **state)
{
    (void)state;
    struct db_site *site = fresh_site(MIB);
    struct object kept[3];
    for (size_t i = 0; i < 3; i++) {
        kept[i] = born(site, MIB);
    }
    for (size_t i = 0; i < 50; i++) {
        lifetime_ended(site, &kept[i % 3]);
        kept[i % 3] = born(site, MIB);
    }
    assert_int_equal(site->births - site->most_alive, 50);
    for (size_t i = 0; i < 3; i++) {
        lifetime_ended(site, &kept[i]);
    }
    assert_int_equal(site->most_alive, 3);
}

static void sleep_ms(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000}, NULL);
}

static void test_lifetimes_are_right_in_the_mean(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    struct db_site *site = fresh_site(MIB);
    uint64_t slept_ns = 0;
    for (int i = 0; i < COUNT; i++) {
        struct object object = born(site, MIB);
        uint64_t began = kernel_clock_ns(CLOCK_MONOTONIC);
        sleep_ms(3);
        slept_ns += kernel_clock_ns(CLOCK_MONOTONIC) - began;
        lifetime_ended(site, &object);
    }
    assert_true(site->lifetime_ns > slept_ns / 2 && site->lifetime_ns < slept_ns * 3 / 2);
}

/* A process of its own, with a record of its own that starts now. */
static int in_child(void (*body)(void))
{
    uint32_t last;
    assert_non_null(ledger_claim(DB_KIND_LIVE, &last)); /* what one child has written is not for the next */
    fflush(stdout);
    gate_set_phase(
        GATE_CLOSED); /* so that fork() does not adopt the child: the rest of the shim is not there to be reset */
    pid_t child = fork();
    int status = -1;
    gate_set_phase(GATE_OPEN);
    if (child == 0) {
        lifetime_reset_child();
        live_id = last + 1;
        process_record->start_monotonic_ns = kernel_clock_ns(CLOCK_MONOTONIC);
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* An early spike, then a plateau: whatever the number of bins, the spike stays at its time and as high as it was. */
static void grow_and_wait(void)
{
    struct db_site *site = fresh_site(MIB);
    struct object kept = born(site, MIB), spike[3];
    for (int i = 0; i < 3; i++) {
        spike[i] = born(site, MIB);
    }
    for (int i = 0; i < 3; i++) {
        lifetime_ended(site, &spike[i]);
    }
    for (int i = 0; i < 120; i++) {
        sleep_ms(i == 50 ? 200 : 5);
        struct object passing = born(NULL, 20 * KIB);
        lifetime_ended(NULL, &passing);
    }
    const struct db_live *curve = live();
    uint64_t elapsed = kernel_clock_ns(CLOCK_MONOTONIC) - process_record->start_monotonic_ns;
    CHECK(curve->bin_ns == UINT64_C(1) << 23 || curve->bin_ns == UINT64_C(1) << 24 || elapsed > UINT64_C(4000000000));
    CHECK(curve->bins > DB_LIVE_BINS / 2 && curve->bins <= DB_LIVE_BINS);
    CHECK(elapsed - curve->bins * curve->bin_ns + 2 * curve->bin_ns < 4 * curve->bin_ns);
    CHECK(curve->max_bytes[0] == 4 * MIB || curve->max_bytes[1] == 4 * MIB);
    for (uint32_t i = 3; i < curve->bins; i++) {
        CHECK(curve->max_bytes[i] == MIB || curve->max_bytes[i] == MIB + 20 * KIB);
    }
    CHECK(curve->peak_bytes == 4 * MIB && curve->peak_at_ns < 5 * curve->bin_ns);
    lifetime_ended(site, &kept);
}

static void test_bins_grow_longer_and_forget_no_peak(void **state)
{
    (void)state;
    assert_int_equal(in_child(grow_and_wait), 0);
}

/* The curve of a process that first makes something when it is old: as old as the machine, which may be up for minutes. */
static void begin_late(void)
{
    uint64_t up_ns = process_record->start_monotonic_ns, hour_ns = UINT64_C(3600) * 1000000000;
    uint64_t age_ns = up_ns < hour_ns ? up_ns : hour_ns;
    process_record->start_monotonic_ns -= age_ns;
    struct object object = born(NULL, MIB);
    const struct db_live *curve = live();
    CHECK(curve->bins > DB_LIVE_BINS / 2 && curve->bins <= DB_LIVE_BINS);
    CHECK(curve->bins * curve->bin_ns >= age_ns);
    CHECK(curve->max_bytes[curve->bins - 1] == MIB && curve->max_bytes[curve->bins - 2] == 0);
    lifetime_ended(NULL, &object);
}

static void test_a_late_beginning(void **state)
{
    (void)state;
    assert_int_equal(in_child(begin_late), 0);
}

static void *inherited;

/* What the parent made is the parent's, whoever frees it. */
static void free_the_parents(void)
{
    replica_reset_child();
    free(inherited);
    void *volatile own = malloc(MIB);
    CHECK(live()->bytes == (int64_t)MIB);
    free(own);
    CHECK(live()->bytes == 0 && live()->peak_bytes == MIB);
}

static void test_a_child_starts_from_nothing(void **state)
{
    (void)state;
    inherited = malloc(3 * MIB);
    assert_int_equal(in_child(free_the_parents), 0);
    free(inherited);
}

/* Through the hooks, on threads that are not known: no Python, no site. */
static void *churn(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    void *blocks[64] = {NULL};
    for (int i = 0; i < 50000; i++) {
        size_t slot = (size_t)rand_r(&seed) % 64, bytes = (size_t)rand_r(&seed) % (i % 16 == 0 ? 400000 : 30000);
        if (i % 3 == 0) {
            blocks[slot] = realloc(blocks[slot], bytes + 1);
        } else {
            free(blocks[slot]);
            blocks[slot] = i % 5 == 0 ? memalign(4096, bytes) : i % 7 == 0 ? calloc(1, bytes) : malloc(bytes);
        }
    }
    for (size_t i = 0; i < 64; i++) {
        free(blocks[i]);
    }
    return NULL;
}

static void test_every_function_balances(void **state)
{
    (void)state;
    int64_t before = live()->bytes, small = live()->small_bytes;
    volatile size_t huge = SIZE_MAX / 2;
    char *block = malloc(100 * KIB);
    assert_int_equal(live()->bytes - before, 100 * KIB);
    assert_null(realloc(block, huge));
    assert_int_equal(live()->bytes - before, 100 * KIB);
    block = realloc(block, 200 * KIB);
    assert_int_equal(live()->bytes - before, 200 * KIB);
    block = realloc(block, 150 * KIB);
    assert_int_equal(live()->bytes - before, 150 * KIB);
    block = realloc(block, 100);
    free(block);
    assert_int_equal(live()->bytes, before);
    free(pvalloc(16000));
    free(valloc(16000));
    assert_int_equal(live()->bytes, before);
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(live()->bytes, before);
    assert_int_equal(live()->small_bytes, small);
}

static void test_mappings_balance(void **state)
{
    (void)state;
    int64_t before = live()->bytes;
    char *start = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(live()->bytes - before, MIB);
    munmap(start + 256 * KIB, 256 * KIB); /* two parts live on */
    assert_int_equal(live()->bytes - before, MIB - 256 * KIB);
    start = mremap(start, 256 * KIB, 2 * MIB, MREMAP_MAYMOVE);
    assert_int_equal(live()->bytes - before, 2 * MIB + 512 * KIB);
    mprotect(start, 2 * MIB, PROT_READ); /* no buffer any more */
    assert_int_equal(live()->bytes - before, 512 * KIB);
    munmap(start, 2 * MIB);
}

/* What cannot be filed has no end that anybody sees: it is not counted. */
static void test_a_full_map_balances(void **state)
{
    (void)state;
    enum { COUNT = 150000 };
    static void *blocks[COUNT];
    int64_t before = live()->bytes;
    volatile uint64_t *full = &process_record->dropped[DB_DROP_OBJECT_TABLE_FULL];
    uint64_t dropped = *full;
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = malloc(1100);
    }
    assert_true(*full > dropped);
    for (size_t i = 0; i < COUNT; i++) {
        free(blocks[i]);
    }
    assert_int_equal(live()->bytes, before);
}

static int start(void **state)
{
    (void)state;
    if (!scratch_run_begin() || !config_read() || !gate_start() || !ledger_open()) {
        return 1;
    }
    ledger_reserve();
    process_record->start_monotonic_ns = kernel_clock_ns(CLOCK_MONOTONIC);
    process_engine_on(DB_ENGINE_REPLICA);
    if (!object_map_start() || !replica_start()) {
        return 1;
    }
    hooks_malloc_start();
    gate_set_phase(GATE_OPEN);
    struct object first = born(NULL, MIB); /* so that there is a record */
    lifetime_ended(NULL, &first);
    return 0;
}

static int end(void **state)
{
    gate_set_phase(GATE_CLOSED);
    return scratch_run_end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_goes_had_come),
        cmocka_unit_test(test_small_ones_are_one_sum),
        cmocka_unit_test(test_the_peak_is_told_by_site),
        cmocka_unit_test(test_growth_is_noted_as_it_goes),
        cmocka_unit_test(test_what_comes_in_place_of_what_went),
        cmocka_unit_test(test_lifetimes_are_right_in_the_mean),
        cmocka_unit_test(test_bins_grow_longer_and_forget_no_peak),
        cmocka_unit_test(test_a_late_beginning),
        cmocka_unit_test(test_a_child_starts_from_nothing),
        cmocka_unit_test(test_every_function_balances),
        cmocka_unit_test(test_mappings_balance),
        cmocka_unit_test(test_a_full_map_balances),
    };
    return cmocka_run_group_tests(tests, start, end);
}
