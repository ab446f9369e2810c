/* link: shim */
/* Which bytes of an access are watched, and which value is compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "access/watch.h"

static void test_chosen_bytes_are_aligned_and_inside(void **state)
{
    (void)state;
    for (uint32_t offset = 0; offset < 16; offset++) {
        for (uint32_t bytes = 1; bytes <= 64; bytes++) {
            uintptr_t start;
            uint32_t length = watch_choose_bytes(4096 + offset, bytes, offset * 7 + bytes, &start);
            assert_true(length == 1 || length == 2 || length == 4 || length == 8);
            assert_int_equal(start % length, 0);
            assert_true(start >= 4096 + offset && start + length <= 4096 + offset + bytes);
        }
    }
}

static void test_values_are_whole_elements(void **state)
{
    (void)state;
    for (uint32_t offset = 0; offset < 16; offset++) {
        for (uint32_t random = 0; random < 16; random++) {
            struct watch_place place;
            watch_choose_place(4096 + offset, 32, 4, random, &place);
            assert_int_equal((place.value_address - 4096 - offset) % 4, 0);
            assert_int_equal(place.value_bytes, offset % 4 == 0 ? place.size_bytes : 4);
            assert_true(place.address >= place.value_address);
            assert_true(place.address + place.size_bytes <= place.value_address + place.value_bytes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen_bytes_are_aligned_and_inside),
        cmocka_unit_test(test_values_are_whole_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
