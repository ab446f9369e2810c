/* link: shim */
/* The account of what the shim costs: what it is a part of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

#include "access/governor.h"
#include "config.h"
#include "kernel.h"
#include "process.h"

#define BEFORE_NS UINT64_C(200000000)

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_ran_before_is_not_ours_to_spend_of),
        cmocka_unit_test(test_a_child_has_its_own_clock),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
