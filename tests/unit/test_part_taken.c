/* link: analyzer */
/* What the subscripts behind a call take of what it gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "python/part_taken.h"

static void check_of(enum part_of of, const char *text, enum part expected)
{
    const char *slice = NULL, *end = NULL;
    enum part part = part_taken(text, of, &slice, &end);
    if (part != expected)
        fail_msg("%s: %d", text, (int)part);
    assert_in_range((uintptr_t)end, (uintptr_t)text, (uintptr_t)(text + strlen(text)));
}

static void check(const char *text, enum part expected)
{
    check_of(PART_OF_TUPLE, text, expected);
}

static void test_one_element(void **state)
{
    (void)state;
    check_of(PART_OF_ARRAY, "[-1]", PART_FEW);
    check_of(PART_OF_ARRAY, "[:, 0]", PART_FEW);
    check_of(PART_OF_ARRAY, "[:, -2]", PART_FEW);
    check_of(PART_OF_ARRAY, "[0].item()", PART_FEW);
    check_of(PART_OF_ARRAY, "[0]", PART_ALL);
    check_of(PART_OF_ARRAY, "[-1][0]", PART_OTHER);
    check_of(PART_OF_ARRAY, "[i]", PART_OTHER);
    check_of(PART_OF_ARRAY, "[x]", PART_OTHER);
    check_of(PART_OF_FLAT, "[0]", PART_FEW);
    check_of(PART_OF_FLAT, "[::-1][0]", PART_FEW);
    check("[0][-1]", PART_FEW);
    check(".values[1]", PART_FEW);
    check("[0]", PART_ALL);
}

static void test_one_element_wherever(void **state)
{
    (void)state;
    check_of(PART_OF_ARRAY, "[n // 2]", PART_ONE);
    check_of(PART_OF_ARRAY, "[len(x) // 2]", PART_ONE);
    check_of(PART_OF_ARRAY, "[self.n // 2] + 1", PART_ONE);
    check_of(PART_OF_ARRAY, "[int(0.99 * len(x))]", PART_ONE);
    check_of(PART_OF_ARRAY, "[2000]", PART_ONE);
    check_of(PART_OF_ARRAY, "[:, n // 2]", PART_ONE);
    check_of(PART_OF_FLAT, "[n//2]", PART_ONE);
    check_of(PART_OF_TUPLE, "[n // 2]", PART_OTHER);
    check_of(PART_OF_ARRAY, "[x // y]", PART_OTHER);
    check_of(PART_OF_ARRAY, "[int(a) + b]", PART_OTHER);
    check_of(PART_OF_ARRAY, "[ints(a)]", PART_OTHER);
    check_of(PART_OF_ARRAY, "[rows[0] // 2]", PART_OTHER);
    check_of(PART_OF_ARRAY, "[n // 2][0]", PART_OTHER);
    check_of(PART_OF_ARRAY, "[: n // 2]", PART_OTHER);
    check_of(PART_OF_ARRAY, "[n / 2]", PART_OTHER);
    check_of(PART_OF_ARRAY, "[len(x)]", PART_OTHER);
}

static void test_few_from_an_end(void **state)
{
    (void)state;
    check("[:5]", PART_FEW);
    check("[0:5]", PART_FEW);
    check("[-k:]", PART_FEW);
    check("[ - k : ]", PART_FEW);
    check("[::-1][:10]", PART_FEW);
    check("[:, :NEAREST]", PART_FEW);
    check("[..., :self.top]", PART_FEW);
    check("[:, 1 : k + 1].mean()", PART_FEW);
    check("[:-6:-1]", PART_FEW);
    check("[:-(k + 1):-1]", PART_FEW);
    check("[0][:k]", PART_FEW);
    check(".values[:k], other[1]", PART_FEW);
    check(".indices[:, -k:]", PART_FEW);
}

static void test_all_of_it(void **state)
{
    (void)state;
    check("", PART_ALL);
    check(")", PART_ALL);
    check("\nother[:5]", PART_ALL);
    check(" + 1", PART_ALL);
    check("[::-1]", PART_ALL);
    check("[:, ::-1]", PART_ALL);
    check("[1]", PART_ALL);
    check(".values", PART_ALL);
}

static void test_what_is_not_known(void **state)
{
    (void)state;
    check("[1:]", PART_OTHER);
    check("[k:]", PART_OTHER);
    check("[:-1]", PART_OTHER);
    check("[k:-k]", PART_OTHER);
    check("[a:b]", PART_OTHER);
    check("[: len(x) // 2]", PART_OTHER);
    check("[: int(0.9 * n)]", PART_OTHER);
    check("[:n:2]", PART_OTHER);
    check("[rows]", PART_OTHER);
    check("[-1]", PART_OTHER);
    check(".mean()", PART_OTHER);
    check(".values()[:5]", PART_OTHER);
    check(".indices_of[:5]", PART_OTHER);
}

static void check_slice(const char *text, size_t place, size_t items, const char *count)
{
    struct part_slice read = {0};
    assert_true(part_slice_read(text, text + strlen(text), &read));
    assert_int_equal(read.place, place);
    assert_int_equal(read.items, items);
    assert_true(word_is(read.count, count));
}

static void test_the_count_of_a_slice(void **state)
{
    (void)state;
    struct part_slice read;
    check_slice("[:5]", 0, 1, "5");
    check_slice("[ - k : ]", 0, 1, "k");
    check_slice("[:, 1 : k + 1]", 1, 2, "k + 1");
    check_slice("[::-1, :k]", 1, 2, "k");
    check_slice("[..., :self.top]", 1, 2, "self.top");
    check_slice("[:-(k + 1):-1]", 0, 1, "(k + 1)");
    check_slice("[-3]", 0, 1, "3");
    check_slice("[0, :k]", 1, 2, "k");
    check_slice("[:k, 0]", 0, 2, "k");
    check_slice("[0, 1]", 1, 2, "1");
    check_slice("[n // 2]", 0, 1, "1");
    check_slice("[:, 2000]", 1, 2, "1");
    const char *all = "[:]";
    assert_false(part_slice_read(all, all + 3, &read));
}

static void test_text_that_is_no_python(void **state)
{
    (void)state;
    check("[", PART_OTHER);
    check("[:5", PART_OTHER);
    check("[[:5]", PART_OTHER);
    check("[]", PART_OTHER);
    check("[:", PART_OTHER);
    check("[)]", PART_OTHER);
    check("[:(:]", PART_OTHER);
    check("[,:5]", PART_OTHER);
    check("[:()]", PART_OTHER);
    check("[:::5]", PART_OTHER);
    check(".", PART_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_element),
        cmocka_unit_test(test_one_element_wherever),
        cmocka_unit_test(test_few_from_an_end),
        cmocka_unit_test(test_all_of_it),
        cmocka_unit_test(test_what_is_not_known),
        cmocka_unit_test(test_the_count_of_a_slice),
        cmocka_unit_test(test_text_that_is_no_python),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
