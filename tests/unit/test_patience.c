/* link: shim */
/* How long watches wait, and what their pairs count for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "access/engine.h"
#include "config.h"
#include "process.h"

#define NOW_NS UINT64_C(100000000000)
#define PATIENCE_NS UINT64_C(100000)

static struct db_process record;

static struct access_thread thread_with_watches(void)
{
    return (struct access_thread){
        .register_count = MACHINE_WATCHES, .random = 12345, .patience_ns = PATIENCE_NS, .alarm_descriptor = -1};
}

/* Half as many watches wait four times as long; a pair stands for those that would not have waited for it. */
static void test_patience_is_drawn_and_weighed_alike(void **state)
{
    (void)state;
    struct access_thread at = thread_with_watches();
    const unsigned draws = 1u << 16;
    for (unsigned doublings = 0; doublings <= 5; doublings++) {
        uint64_t age_ns = PATIENCE_NS << (2 * doublings), waited = 0;
        for (unsigned i = 0; i < draws; i++) {
            struct watch watch = {.phase = WATCH_INSIDE};
            patience_begin(&at, &watch, 1, NOW_NS);
            waited += watch.deadline_ns >= NOW_NS + age_ns;
            assert_int_equal(patience_scale(&watch, NOW_NS + age_ns), 1u << doublings);
        }
        assert_in_range(waited << doublings, draws - draws / 8, draws + draws / 8);
    }
}

static void test_a_watch_stands_for_those_it_kept_out(void **state)
{
    (void)state;
    struct access_thread at = thread_with_watches();
    struct watch watch = {.phase = WATCH_INSIDE};
    at.passed_over = 2;
    patience_begin(&at, &watch, 1, NOW_NS);
    assert_int_equal(patience_scale(&watch, NOW_NS), 3);
    patience_begin(&at, &watch, 1, NOW_NS);
    assert_int_equal(patience_scale(&watch, NOW_NS), 1);
    at.passed_over = 1000;
    patience_begin(&at, &watch, 1, NOW_NS);
    assert_in_range(patience_scale(&watch, NOW_NS), 2, 16);
}

static void test_a_watch_ends_behind_its_deadline(void **state)
{
    (void)state;
    struct access_thread at = thread_with_watches();
    struct watch *watch = &at.watches[0];
    watch->phase = WATCH_INSIDE;
    patience_begin(&at, watch, 1, NOW_NS);
    patience_check(&at, watch->deadline_ns);
    assert_int_equal(watch->phase, WATCH_INSIDE);
    assert_int_equal(record.dropped[DB_DROP_WATCH_OUTWAITED], 0);
    patience_check(&at, watch->deadline_ns + 1);
    assert_int_equal(watch->phase, WATCH_FREE);
    assert_int_equal(record.dropped[DB_DROP_WATCH_OUTWAITED], 1);
}

static uint64_t longest_wait_ns(struct access_thread *at, uint64_t run_ns)
{
    uint64_t longest_ns = 0;
    for (unsigned i = 0; i < 1u << 16; i++) {
        struct watch watch = {.phase = WATCH_INSIDE};
        patience_begin(at, &watch, 1, run_ns);
        uint64_t wait_ns = watch.deadline_ns - run_ns;
        longest_ns = wait_ns > longest_ns ? wait_ns : longest_ns;
        assert_int_equal(patience_scale(&watch, run_ns + watch.patience_ns), 1);
    }
    return longest_ns;
}

/* What was stored once, as the program began, would keep a register from all others for many times as long as it has run. */
static void test_no_watch_waits_longer_than_the_thread_had_run(void **state)
{
    (void)state;
    struct access_thread at = thread_with_watches();
    const uint64_t run_ns = 16 * UINT64_C(1000000);
    at.patience_ns = run_ns / 16;
    assert_int_equal(longest_wait_ns(&at, run_ns), run_ns);
    at.patience_ns = 1000 * run_ns; /* as after many watches that found what they waited for */
    assert_int_equal(longest_wait_ns(&at, run_ns), run_ns);
}

static void test_patience_shrinks_when_registers_are_short_and_has_bounds(void **state)
{
    (void)state;
    struct access_thread at = thread_with_watches();
    uint64_t before_ns = at.patience_ns;
    patience_adapt(&at, true);
    assert_true(at.patience_ns > before_ns);
    for (int i = 0; i < 100; i++) {
        patience_adapt(&at, false);
    }
    assert_in_range(at.patience_ns, 1000, PATIENCE_NS);
    for (int i = 0; i < 1000; i++) {
        patience_adapt(&at, true);
    }
    assert_in_range(at.patience_ns, UINT64_C(1000000000), UINT64_C(100000000000));
}

static int start(void **state)
{
    (void)state;
    process_record = &record;
    return config_read() ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patience_is_drawn_and_weighed_alike),
        cmocka_unit_test(test_a_watch_stands_for_those_it_kept_out),
        cmocka_unit_test(test_a_watch_ends_behind_its_deadline),
        cmocka_unit_test(test_no_watch_waits_longer_than_the_thread_had_run),
        cmocka_unit_test(test_patience_shrinks_when_registers_are_short_and_has_bounds),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
