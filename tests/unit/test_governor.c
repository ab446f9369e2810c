/* link: shim */
/* The account of what the shim costs: what it is a part of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

#include "access/armed.h"
#include "access/calibration.h"
#include "access/engine.h"
#include "access/governor.h"
#include "config.h"
#include "kernel.h"
#include "process.h"

#define BEFORE_NS UINT64_C(200000000)
#define SECOND_NS UINT64_C(1000000000)
#define FAULT_EXTRA_NS 1000u
#define FAULT_NS 2500u

/* In place of the measure that is taken of the machine: one on which all that can slow down does. */
bool calibration_run(struct calibration *result, char *why_off, size_t bytes)
{
    (void)why_off, (void)bytes;
    *result = (struct calibration){.trap_ns = 14000,
                                   .armed_slows_splits = true,
                                   .string_slowdown = 20,
                                   .armed_fault_ns = FAULT_NS,
                                   .fault_extra_ns = FAULT_EXTRA_NS};
    return true;
}

static int start(void **state)
{
    char why[256];
    (void)state;
    config.budget_percent = 2;
    process_record->pid = 7;
    while (kernel_clock_ns(CLOCK_PROCESS_CPUTIME_ID) < BEFORE_NS) {
    }
    governor_start(why, sizeof why);
    return 0;
}

/* The process's clock goes on through an exec. */
static void test_what_ran_before_is_not_ours_to_spend_of(void **state)
{
    (void)state;
    process_record->cpu_ns = kernel_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    process_record->shim_cpu_ns = 0;
    assert_true(governor_allows());
    process_record->shim_cpu_ns = BEFORE_NS * 2 / 100;
    assert_false(governor_allows());
    process_record->cpu_ns += BEFORE_NS;
    assert_true(governor_allows());
}

/* A forked child's begins anew. */
static void test_a_child_has_its_own_clock(void **state)
{
    (void)state;
    process_record->pid = 8;
    process_record->cpu_ns = BEFORE_NS;
    process_record->shim_cpu_ns = BEFORE_NS * 2 / 100;
    assert_true(governor_allows());
    process_record->shim_cpu_ns += 3000000;
    assert_false(governor_allows());
}

/* Another process, which has run so long and whose shim has cost nothing yet. */
static void begin_anew(uint64_t cpu_ns)
{
    governor_reset_child();
    process_record->pid = 9;
    process_record->cpu_ns = cpu_ns;
    process_record->shim_cpu_ns = 0;
}

static uint64_t charged(struct armed_time armed, uint32_t split_stores)
{
    uint64_t before_ns = process_record->shim_cpu_ns;
    governor_charge_armed(&armed, split_stores);
    return process_record->shim_cpu_ns - before_ns;
}

static uint64_t charged_string(uint64_t since_ns)
{
    uint64_t before_ns = process_record->shim_cpu_ns;
    governor_charge_string(since_ns);
    return process_record->shim_cpu_ns - before_ns;
}

static void test_armed_time_costs_what_it_slows_down(void **state)
{
    (void)state;
    begin_anew(SECOND_NS);
    assert_int_equal(charged((struct armed_time){.ns = SECOND_NS}, 0), 0);
    assert_in_range(charged((struct armed_time){.ns = SECOND_NS}, 65536), SECOND_NS / 3, SECOND_NS * 2 / 3);
    assert_true(governor_strings_are_slowed());
    assert_in_range(charged_string(SECOND_NS), SECOND_NS * 94 / 100, SECOND_NS * 96 / 100); /* unarmed: a twentieth */
    assert_int_equal(charged((struct armed_time){.ns = SECOND_NS, .kernel_ns = 2500000, .faults = 1000}, 0),
                     1000 * FAULT_EXTRA_NS);
    assert_int_equal(charged((struct armed_time){.faults = 1000}, 0), 1000 * FAULT_EXTRA_NS);
}

/* Clearing two megabytes takes long, and nearly all of that is due to the armed register. */
static void test_few_faults_that_take_long_are_huge(void **state)
{
    (void)state;
    begin_anew(SECOND_NS);
    const struct armed_time huge = {.ns = SECOND_NS, .kernel_ns = SECOND_NS / 10, .faults = 100};
    assert_in_range(charged(huge, 0), 0, SECOND_NS / 1000); /* nobody has asked for huge pages */
    governor_reset_child();
    governor_expect_huge_pages();
    assert_in_range(charged(huge, 0), SECOND_NS / 12, SECOND_NS / 10);
    begin_anew(SECOND_NS);
    const struct armed_time slow = {.ns = SECOND_NS,
                                    .kernel_ns = SECOND_NS / 10,
                                    .faults = 100,
                                    .other_kernel_ns = SECOND_NS / 10,
                                    .other_faults = 100};
    assert_int_equal(charged(slow, 0), 100 * FAULT_EXTRA_NS); /* as unarmed: the machine's doing */
    begin_anew(SECOND_NS);
    const struct armed_time system_calls = {.ns = SECOND_NS, .kernel_ns = SECOND_NS / 2, .faults = 0};
    assert_int_equal(charged(system_calls, 0), 0);
}

static void test_waiting_is_dear_where_it_slows_down_and_never_long(void **state)
{
    (void)state;
    begin_anew(100 * SECOND_NS);
    assert_true(governor_waiting_is_dear()); /* until it is known */
    charged((struct armed_time){.ns = SECOND_NS}, 0);
    assert_false(governor_waiting_is_dear());
    assert_true(governor_longest_wait_ns() == UINT64_MAX);
    charged_string(SECOND_NS / 5); /* a tenth of all */
    assert_true(governor_waiting_is_dear());
    uint64_t longest_ns = governor_longest_wait_ns();
    assert_in_range(longest_ns, SECOND_NS / 10, 2 * SECOND_NS); /* whose tenth is a small part of the budget: 2 s */
    process_record->cpu_ns *= 10;
    assert_in_range(governor_longest_wait_ns(), 9 * longest_ns, 11 * longest_ns);
    config.budget_percent = 100;
    assert_false(governor_waiting_is_dear());
    config.budget_percent = 2;
}

/* Where waiting is dear a quarter as many watches wait four times as long, and their pairs stand for four times as many. */
static void test_dear_patience_is_drawn_and_weighed_alike(void **state)
{
    (void)state;
    begin_anew(100000 * SECOND_NS);
    assert_true(governor_waiting_is_dear());
    struct access_thread at = {.register_count = MACHINE_WATCHES, .random = 12345, .patience_ns = 100000};
    const unsigned draws = 1u << 18;
    for (unsigned longer = 0; longer <= 3; longer++) {
        uint64_t age_ns = at.patience_ns << (2 * longer), waited = 0;
        for (unsigned i = 0; i < draws; i++) {
            struct watch watch = {.phase = WATCH_INSIDE};
            patience_begin(&at, &watch, 1, SECOND_NS);
            waited += watch.deadline_ns >= SECOND_NS + age_ns;
            assert_int_equal(patience_scale(&watch, SECOND_NS + age_ns), 1u << (2 * longer));
        }
        assert_in_range(waited << (2 * longer), draws - draws / 8, draws + draws / 8);
    }
}

static void test_no_watch_waits_for_what_the_run_cannot_afford(void **state)
{
    (void)state;
    begin_anew(SECOND_NS);
    struct access_thread at = {.register_count = MACHINE_WATCHES, .random = 12345, .patience_ns = 100000};
    for (unsigned i = 0; i < 1u << 16; i++) {
        struct watch watch = {.phase = WATCH_INSIDE};
        patience_begin(&at, &watch, 1, SECOND_NS);
        assert_in_range(watch.deadline_ns - SECOND_NS, at.patience_ns, governor_longest_wait_ns());
    }
}

/* One that began while waiting seemed free, in a program that fills memory by string instructions, would eat up the budget. */
static void test_a_watch_ends_once_waiting_proves_dear(void **state)
{
    (void)state;
    begin_anew(100 * SECOND_NS);
    charged((struct armed_time){.ns = SECOND_NS}, 0);
    assert_false(governor_waiting_is_dear());
    struct access_thread at = {
        .register_count = MACHINE_WATCHES, .random = 12345, .patience_ns = SECOND_NS / 1000, .alarm_descriptor = -1};
    struct watch *watch = &at.watches[0];
    watch->phase = WATCH_INSIDE;
    patience_begin(&at, watch, 1, 0);
    watch->deadline_ns = 1000 * SECOND_NS;
    patience_check(&at, 4 * SECOND_NS);
    assert_int_equal(watch->phase, WATCH_INSIDE);
    charged_string(4 * SECOND_NS);
    patience_check(&at, at.patience_ns);
    assert_int_equal(watch->phase, WATCH_INSIDE);
    patience_check(&at, 4 * SECOND_NS);
    assert_int_equal(watch->phase, WATCH_FREE);
}

static void test_the_clocks_slow_down_near_the_end_of_the_budget(void **state)
{
    (void)state;
    begin_anew(100 * SECOND_NS);
    assert_int_equal(governor_pace(GOVERNOR_QUICK_PACE, false), GOVERNOR_QUICK_PACE);
    process_record->shim_cpu_ns = 2 * SECOND_NS * 7 / 10;
    assert_int_equal(governor_pace(GOVERNOR_QUICK_PACE, false), GOVERNOR_QUICK_PACE);
    assert_int_equal(governor_pace(GOVERNOR_SLOW_PACE, false), GOVERNOR_SLOW_PACE);
    process_record->shim_cpu_ns = 2 * SECOND_NS * 9 / 10;
    assert_int_equal(governor_pace(GOVERNOR_QUICK_PACE, false), GOVERNOR_SLOW_PACE);
    process_record->shim_cpu_ns = 2 * SECOND_NS * 5 / 10;
    assert_int_equal(governor_pace(GOVERNOR_SLOW_PACE, false), GOVERNOR_QUICK_PACE);
}

static void test_the_clocks_slow_down_to_100_hz_beyond_the_budget(void **state)
{
    (void)state;
    begin_anew(100 * SECOND_NS);
    config.rate_hz = 1500;
    const unsigned slowest = 1500 * 100 / 104; /* 104 a second */
    process_record->shim_cpu_ns = 2 * SECOND_NS * 11 / 10;
    assert_int_equal(governor_pace(GOVERNOR_QUICK_PACE, false), GOVERNOR_SLOW_PACE);
    assert_int_equal(governor_pace(GOVERNOR_SLOW_PACE, false), 2 * GOVERNOR_SLOW_PACE);
    assert_int_equal(governor_pace(4 * GOVERNOR_SLOW_PACE, false), slowest);
    assert_int_equal(governor_pace(slowest, false), slowest);
    process_record->shim_cpu_ns = 2 * SECOND_NS * 9 / 10;
    assert_int_equal(governor_pace(slowest, false), slowest);
    process_record->shim_cpu_ns = 2 * SECOND_NS * 5 / 10;
    assert_int_equal(governor_pace(slowest, false), GOVERNOR_QUICK_PACE);
    config.rate_hz = 250;
    process_record->shim_cpu_ns = 2 * SECOND_NS * 11 / 10;
    assert_int_equal(governor_pace(GOVERNOR_SLOW_PACE, false), GOVERNOR_SLOW_PACE);
}

static void test_imports_are_sampled_slowly_unless_nothing_is_saved(void **state)
{
    (void)state;
    begin_anew(100 * SECOND_NS);
    assert_int_equal(governor_pace(GOVERNOR_QUICK_PACE, true), GOVERNOR_SLOW_PACE);
    config.budget_percent = 100;
    assert_int_equal(governor_pace(GOVERNOR_SLOW_PACE, true), GOVERNOR_QUICK_PACE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_ran_before_is_not_ours_to_spend_of),
        cmocka_unit_test(test_a_child_has_its_own_clock),
        cmocka_unit_test(test_armed_time_costs_what_it_slows_down),
        cmocka_unit_test(test_few_faults_that_take_long_are_huge),
        cmocka_unit_test(test_waiting_is_dear_where_it_slows_down_and_never_long),
        cmocka_unit_test(test_dear_patience_is_drawn_and_weighed_alike),
        cmocka_unit_test(test_no_watch_waits_for_what_the_run_cannot_afford),
        cmocka_unit_test(test_a_watch_ends_once_waiting_proves_dear),
        cmocka_unit_test(test_the_clocks_slow_down_near_the_end_of_the_budget),
        cmocka_unit_test(test_the_clocks_slow_down_to_100_hz_beyond_the_budget),
        cmocka_unit_test(test_imports_are_sampled_slowly_unless_nothing_is_saved),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
