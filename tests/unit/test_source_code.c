/* link: analyzer */
/* What is code in a source text, and what stands in comments and strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/source_code.h"

static void check(const char *text, const char *code)
{
    char copy[200];
    assert_int_equal(strlen(text), strlen(code));
    strcpy(copy, text);
    source_code_only(copy, strlen(copy));
    assert_string_equal(copy, code);
}

static void test_comments(void **state)
{
    (void)state;
    check("a = b  # for c\nd", "a = b         \nd");
    check("# it's\nfor x in y:", "      \nfor x in y:");
    check("#", " ");
}

static void test_strings(void **state)
{
    (void)state;
    check("f(\"# for\", 'it\\'s') + x", "f(       ,        ) + x");
    check("''  + ''' a '' b\n c''' + d", "    +           \n      + d");
    check("r'\\' + x' # y", "r            ");
    check("'never ends\nx = \"\"\"nor\nthis", "           \nx =       \n    ");
    check("'a\\", "   ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comments), cmocka_unit_test(test_strings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
