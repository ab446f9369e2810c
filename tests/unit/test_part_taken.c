/* link: analyzer */
/* What the subscripts behind a call take of what it gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "findings/part_taken.h"

static void check(const char *text, enum part expected)
{
    const char *slice = NULL, *end = NULL;
    enum part part = part_taken(text, &slice, &end);
    if (part != expected)
        fail_msg("%s: %d", text, (int)part);
    assert_in_range((uintptr_t)end, (uintptr_t)text, (uintptr_t)(text + strlen(text)));
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
        cmocka_unit_test(test_few_from_an_end),
        cmocka_unit_test(test_all_of_it),
        cmocka_unit_test(test_what_is_not_known),
        cmocka_unit_test(test_text_that_is_no_python),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
