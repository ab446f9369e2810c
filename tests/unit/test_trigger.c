/* link: shim */
/* The pace of a thread's clock: as many ticks as were asked for, whatever each is late by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "config.h"
#include "time/trigger.h"

#define PERIOD_NS UINT64_C(1000000)
#define TICKS 100000u

/* The time of so many ticks, each of which comes late as `late_ns` says. */
static uint64_t ticks_ns(uint64_t (*late_ns)(unsigned tick), unsigned percent)
{
    uint64_t now_ns = 12345, due_ns = 0;
    for (unsigned i = 0; i < TICKS; i++) {
        uint64_t next_ns = trigger_next_ns(&due_ns, now_ns, percent);
        assert_in_range(next_ns, PERIOD_NS * percent / 100 * 9 / 16, PERIOD_NS * percent / 100 * 5 / 4);
        now_ns += next_ns + late_ns(i);
    }
    return now_ns / TICKS;
}

static uint64_t never(unsigned tick)
{
    (void)tick;
    return 0;
}

static uint64_t each_a_little(unsigned tick)
{
    return tick * UINT64_C(2654435761) % (PERIOD_NS / 10);
}

static uint64_t one_in_ten_is_lost(unsigned tick)
{
    return tick % 10 == 0 ? PERIOD_NS : 0;
}

static uint64_t each_by_half(unsigned tick)
{
    (void)tick;
    return PERIOD_NS / 2;
}

static void test_what_ticks_are_late_by_is_made_up_for(void **state)
{
    (void)state;
    assert_in_range(ticks_ns(never, 100), PERIOD_NS * 99 / 100, PERIOD_NS * 101 / 100);
    assert_in_range(ticks_ns(each_a_little, 100), PERIOD_NS * 99 / 100, PERIOD_NS * 101 / 100);
    assert_in_range(ticks_ns(one_in_ten_is_lost, 100), PERIOD_NS * 99 / 100, PERIOD_NS * 101 / 100);
    assert_in_range(ticks_ns(never, 250), PERIOD_NS * 247 / 100, PERIOD_NS * 253 / 100);
}

/* Handlers that take longer than a period leaves are not chased: the program must go on. */
static void test_a_clock_that_stays_behind_is_left_so(void **state)
{
    (void)state;
    assert_in_range(ticks_ns(each_by_half, 100), PERIOD_NS * 120 / 100, PERIOD_NS * 135 / 100);
    uint64_t due_ns = 1;
    (void)trigger_next_ns(&due_ns, 1000 * PERIOD_NS, 100);
    assert_in_range(due_ns, 1000 * PERIOD_NS, 1002 * PERIOD_NS);
}

static void test_nobody_knows_when_the_first_was_due(void **state)
{
    (void)state;
    uint64_t due_ns = 0;
    uint64_t next_ns = trigger_next_ns(&due_ns, 1000 * PERIOD_NS, 100);
    assert_int_equal(due_ns, 1000 * PERIOD_NS + next_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_ticks_are_late_by_is_made_up_for),
        cmocka_unit_test(test_a_clock_that_stays_behind_is_left_so),
        cmocka_unit_test(test_nobody_knows_when_the_first_was_due),
    };
    config.rate_hz = 1000;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
