/* link: analyzer */
/* What the text of an expression says its last step is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "findings/expression.h"
#include "findings/operand.h"

static void check(const char *text, enum operation_kind kind, const char *name)
{
    struct operation operation = operation_of(text, strlen(text));
    if (operation.kind != kind || (kind != OPERATION_UNKNOWN && !operation_is_named(&operation, name)))
        fail_msg("%s: kind %d \"%.*s\"", text, (int)operation.kind, (int)operation.length_bytes,
                 operation.name != NULL ? operation.name : "");
}

static void test_calls(void **state)
{
    (void)state;
    check("f(x)", OPERATION_CALL, "f");
    check("np.exp(-x / 2)", OPERATION_CALL, "exp");
    check("(a + b).sum(axis=0)", OPERATION_CALL, "sum");
    check("np . linalg\n    .norm (x, ord=')')", OPERATION_CALL, "norm");
    check("f(x)(y)", OPERATION_CALL, "");
    check("rows[i:j].copy()", OPERATION_CALL, "copy");
    check("'%s'.format(a)", OPERATION_CALL, "format");
    check("f'{a!r})'.join(b)", OPERATION_CALL, "join");
    check("\xc3\xa9t\xc3\xa9(x)", OPERATION_CALL, "\xc3\xa9t\xc3\xa9");
}

static void test_subscripts(void **state)
{
    (void)state;
    check("data[order[i : i + 64]]", OPERATION_SUBSCRIPT, "");
    check("self.x(1)[a][b['k]']]", OPERATION_SUBSCRIPT, "");
    check("(a + b)[0]", OPERATION_SUBSCRIPT, "");
    check("[1, 2]", OPERATION_UNKNOWN, "");
    check("-x[0]", OPERATOR, "-");
    check("a + b[0]", OPERATOR, "+");
}

static void test_operators(void **state)
{
    (void)state;
    check("a + b * c", OPERATOR, "+");
    check("a * b + c", OPERATOR, "+");
    check("a - b + c", OPERATOR, "+");
    check("a * (b + c)", OPERATOR, "*");
    check("x**-2.5e-3", OPERATOR, "**");
    check("1e-4 * x", OPERATOR, "*");
    check("0.5 * a.T @ b", OPERATOR, "@");
    check("x //= f(y)", OPERATOR, "//=");
    check("a <= b", OPERATOR, "<=");
    check("a << 2", OPERATOR, "<<");
    check("2.5 * x.y .z", OPERATOR, "*");
    check("~mask", OPERATOR, "~");
    check("1 / (1 + np.exp(-x))", OPERATOR, "/");
}

static void test_what_is_not_known(void **state)
{
    (void)state;
    const char *const texts[] = {"",    "return f(x)", "a b",    "a if b else c", "x and y",    "(a",
                                 "a)",  "a +",         "'open",  "lambda: x",     "a # b\n(c)", "x",
                                 "3.5", "not x",       "a in b", "a{b}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        check(texts[i], OPERATION_UNKNOWN, "");
    check("\0\0(", OPERATION_UNKNOWN, "");
}

static void test_only_what_is_known_differs(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool differ;
    } cases[] = {{"np.sqrt(x)", "np.abs(x)", true}, {"np.exp(x)", "numpy.exp(y + 1)", false},
                 {"x - y", "np.abs(x)", true},      {"x - y", "x + y", true},
                 {"x - y", "a - b", false},         {"x", "np.abs(x)", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct operation a = operation_of(cases[i].a, strlen(cases[i].a)),
                         b = operation_of(cases[i].b, strlen(cases[i].b));
        assert_int_equal(operations_differ(&a, &b), cases[i].differ);
        assert_int_equal(operations_differ(&b, &a), cases[i].differ);
    }
}

static void test_operands(void **state)
{
    static const struct {
        const char *text, *name;
        bool takes;
    } cases[] = {
        {"weights * hazard", "hazard", true},
        {"weights*hazard", "weights", true},
        {"self.w * self.x", "self.x", true},
        {"self.w * self.x", "x", false},
        {"a + b * c", "a", true},
        {"-x * w", "x", true},
        {"w * x[0]", "x", false},
        {"w * f(x)", "x", false},
        {"w * (x)", "x", false}, /* brackets of their own are not looked into */
        {"w[: len(x)] * y", "x", false},
        {"w[x]", "x", true},
        {"w[x, None]", "x", true},
        {"w[v][x]", "x", true},
        {"w[x][v]", "x", false},
        {"w[f(x)]", "x", false},
        {"x[w]", "x", false},
        {"w * x.T", "x", false},
        {"w * xx", "x", false},
        {"np.multiply(w, x)", "x", true},
        {"np.multiply(w, g(x))", "x", false},
        {"np.multiply(w, v, out=x)", "x", false},
        {"x.mul(w)", "x", true},
        {"x.y.mul(w)", "x", false},
        {"x.y.mul(w)", "x.y", true},
        {"y.mul(x)", "x", true},
        {"f(x)(y)", "y", false}, /* a call without a name */
        {"f('x')", "x", false},
        {"x == y", "x", true},
        {"y != x", "x", true},
        {"y<=x", "x", true},
        {"f(w, x == y)", "x", true},
        {"f(w, x = y)", "x", false},
        {"f(w, v=x)", "x", false},
        {"x if w else y", "x", false},
        {"x", "", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (text_takes(cases[i].text, strlen(cases[i].text), cases[i].name, strlen(cases[i].name)) != cases[i].takes)
            fail_msg("%s of %s", cases[i].name, cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_subscripts),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_what_is_not_known),
        cmocka_unit_test(test_only_what_is_known_differs),
        cmocka_unit_test(test_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
