/* link: shim */
/* One digest on every processor: by its widest vectors and by those of any x86-64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "objects/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define BYTES_MAX 70000u

static uint8_t bytes[BYTES_MAX + 8];

static int fill(void **state)
{
    (void)state;
    uint32_t number = 12345;
    for (size_t i = 0; i < sizeof bytes; i++) {
        number = number * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(number >> 24);
    }
    return 0;
}

static void check_all(uint64_t (*digest)(const void *, size_t, uint64_t))
{
    for (size_t count = 0; count <= BYTES_MAX; count += count < 1100 ? 1 : 977) {
        for (size_t start = 0; start < 8; start += 7) {
            uint64_t seed = count * 3;
            assert_int_equal(digest(bytes + start, count, seed), XXH3_64bits_withSeed(bytes + start, count, seed));
        }
    }
}

static void test_before_it_is_asked_which_processor_this_is(void **state)
{
    (void)state;
    check_all(digest_bytes);
}

static void test_as_chosen(void **state)
{
    (void)state;
    digest_start();
    check_all(digest_bytes);
}

static void test_by_avx2(void **state)
{
    (void)state;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) {
        skip();
    }
    check_all(digest_bytes_avx2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_before_it_is_asked_which_processor_this_is),
        cmocka_unit_test(test_as_chosen),
        cmocka_unit_test(test_by_avx2),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
