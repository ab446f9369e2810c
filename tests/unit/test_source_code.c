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

static void test_annotations(void **state)
{
    (void)state;
    check("x: Tensor = f(y)\nself.x : int", "x         = f(y)\n            ");
    check("a[0]: list[int, {}] = 1; b: int\nc = {1: 2}", "a[0]                = 1;       \nc = {1: 2}");
    check("def f(a: int = 1, *b: T,\n      c=lambda x: x) -> dict[a, b]: d: int = c",
          "def f(a      = 1, *b   ,\n      c=lambda x: x)              : d      = c");
    check("async def f[T: int](a: T): pass", "async def f[T: int](a   ): pass");
    check("if a: b: int = 1\nelse: c = 1\ntry: d\nfinally: e", "if a: b      = 1\nelse: c = 1\ntry: d\nfinally: e");
    check("for i in x[a:b]:\n    y[1:2] = 1\nlambda: 3\nwith a as b: c",
          "for i in x[a:b]:\n    y[1:2] = 1\nlambda: 3\nwith a as b: c");
    check("if[a]: b\nwhile[c]: d", "if[a]: b\nwhile[c]: d");
    check("(x := 3)\nx \\\n : int = 3", "(x := 3)\nx \\\n : int = 3");
}

static void test_annotations_alone(void **state)
{
    (void)state;
    char text[] = "a: float = x['k: int']  # b: int\ndef f(y: int = 1): z: str";
    source_without_annotations(text, strlen(text));
    assert_string_equal(text, "a        = x['k: int']  # b: int\ndef f(y      = 1):       ");
}

/* What is no Python, cut off anywhere. */
static void test_annotations_of_no_program(void **state)
{
    (void)state;
    check("def", "def");
    check("def f(a: int", "def f(a     ");
    check("def f(a:]b: c", "def f(a ]b: c");
    check("def f[", "def f[");
    check("def f() -> ", "def f()    ");
    check(")]}: x: int\ny: int", ")]}:       \n      ");
    check("x[: int = 1", "x[: int = 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comments), cmocka_unit_test(test_strings),
                                       cmocka_unit_test(test_annotations), cmocka_unit_test(test_annotations_alone),
                                       cmocka_unit_test(test_annotations_of_no_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
