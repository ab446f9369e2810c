/* Which values count as equal, bit by bit and with a tolerance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "access/agree.h"
#include "config.h"

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static uint64_t bits_of_two(float low, float high)
{
    float both[] = {low, high};
    uint64_t bits;
    memcpy(&bits, both, sizeof bits);
    return bits;
}

static bool doubles(double a, double b)
{
    return values_agree(bits_of(a), bits_of(b), 8, 8);
}

static void test_bits_alone(void **state)
{
    (void)state;
    config.fp_tolerance = 0;
    assert_true(doubles(1.5, 1.5));
    assert_false(doubles(1.5, nextafter(1.5, 2)));
    assert_false(doubles(0.0, -0.0));
    assert_true(doubles(NAN, NAN));
}

static void test_doubles(void **state)
{
    (void)state;
    config.fp_tolerance = 1e-6;
    assert_true(doubles(1.5, 1.5 * (1 + 0.9e-6)));
    assert_false(doubles(1.5, 1.5 * (1 + 1.1e-6)));
    assert_true(doubles(-3e-300, -3e-300 * (1 + 0.9e-6)));
    assert_false(doubles(1e-9, -1e-9));
    assert_false(doubles(0.0, 1e-30));
    assert_true(doubles(0.0, -0.0));
    assert_true(doubles(NAN, NAN));
    assert_false(doubles(NAN, 1));
    assert_false(doubles(1, NAN));
    assert_true(doubles(INFINITY, INFINITY));
    assert_false(doubles(INFINITY, 1e308));
    assert_false(doubles(INFINITY, -INFINITY));
    config.fp_tolerance = 1;
    assert_false(doubles(INFINITY, 5));
    assert_true(doubles(0, 5));
}

static void test_floats(void **state)
{
    (void)state;
    config.fp_tolerance = 1e-3;
    assert_true(values_agree(bits_of_two(1, 2), bits_of_two(1.0009f, 2.0009f), 8, 4));
    assert_false(values_agree(bits_of_two(1, 2), bits_of_two(1.01f, 2), 8, 4));
    assert_false(values_agree(bits_of_two(1, 2), bits_of_two(1, 2.01f), 8, 4));
    assert_true(values_agree(bits_of_two(1, 0), bits_of_two(1.0009f, 0), 4, 4));
    assert_true(values_agree(bits_of_two(NAN, 2), bits_of_two(NAN, 2.0009f), 8, 4));
}

static void test_what_is_no_number(void **state)
{
    (void)state;
    config.fp_tolerance = 1;
    assert_false(values_agree(7, 8, 8, 0));
    assert_false(values_agree(bits_of(1), bits_of(1.1), 4, 8));
    assert_false(values_agree(1, 2, 2, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_alone),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
