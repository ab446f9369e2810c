/* link: analyzer */
/* What rows of a program do to a name from one pass to the next, and which names an expression takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "python/carried.h"
#include "python/inputs.h"

static struct word word_of(const char *text)
{
    return (struct word){text, strlen(text)};
}

static bool is_carried(const char *rows, const char *name)
{
    struct carried carried;
    carried_read(&carried, word_of(rows), word_of(name));
    return carried_over(&carried);
}

static void test_what_is_another_in_each_pass(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "for i in n:\n    y = x > 0\n    x[i] = 3\n",
        "for i in n:\n    x -= 1\n",
        "for i in n:\n    np.add(x, 1, out=x)\n",
        "for i in n:\n    x = x * 0.9\n",
        "for i in n:\n    y = x > 0\n    x = load()\n",
        "while x < 3:\n    x = load()\n",
        "for i in n:\n    x, y = y, x\n",
        "for i in n:\n    part = x[1:]\n    part *= 2\n",
        "for i in n:\n    for row in x:\n        row /= 2\n",
        "for i in n:\n    for i, row in enumerate(x):\n        row /= 2\n",
        "for i in n:\n    for p, g in zip(x, y):\n        p -= g\n",
        "for i in n:\n    x.data.mul_(2)\n",
        "for i in n:\n    x[:k] = y\n",
        "for i in n:\n    np.copyto(x, y, where=mask)\n",
        "for i in n:\n    x[:] = x * 2\n",
        "for i in n:\n    y = f(z > (x := x + 1))\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!is_carried(rows[i], "x"))
            fail_msg("%s", rows[i]);
}

static void test_what_is_made_anew(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "for i in n:\n    y = x > 0\n",
        "for i in n:\n    x = load()\n    x -= 1\n    x = x * 2\n",
        "for x in n:\n    x *= 2\n",
        "for a, (x, b) in n:\n    y = a\n",
        "for i in n:\n    x[:] = y\n    y = x > 0\n",
        "for i in n:\n    x.copy_(y)\n",
        "for i in n:\n    np.multiply(y, 2, out=x)\n",
        "for i in n:\n    x = None\n",
        "for i in n:\n    for p, g in zip(y, x):\n        p -= g\n",
        "for i in n:\n    xs = y\n    xs += 1\n    y.x = 3\n    box.x += 3\n",
        "for i in n:\n    f(x)\n    print(x.mean())\n",
        "for i in n:\n    y[x] = 1\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is_carried(rows[i], "x"))
            fail_msg("%s", rows[i]);
}

static void test_attributes(void **state)
{
    (void)state;
    assert_true(is_carried("for i in n:\n    self.w[i] += 1\n", "self.w"));
    assert_true(is_carried("for i in n:\n    self.t += 1\n", "self.t"));
    assert_false(is_carried("for i in n:\n    other.w[i] += 1\n", "self.w"));
    assert_false(is_carried("for i in n:\n    self.words += 1\n", "self.w"));
}

static void check_inputs(const char *text, const char *expected)
{
    char found[200] = "";
    struct input input;
    for (const char *at = text; inputs_next(word_of(text), &at, &input);) {
        if (found[0] != '\0')
            strcat(found, " ");
        strncat(found, input.name.text, input.name.length_bytes);
        if (input.called.length_bytes > 0)
            strcat(strncat(strcat(found, ":"), input.called.text, input.called.length_bytes), "()");
    }
    if (strcmp(found, expected) != 0)
        fail_msg("%s: %s", text, found);
}

static void test_what_an_expression_takes(void **state)
{
    (void)state;
    check_inputs("np.tanh(x @ self.w[i], out=y)", "x self.w i y");
    check_inputs("Q.argmax(axis=1)", "Q:argmax()");
    check_inputs("f(x)[k].sum(rows)", ":f() x k :sum() rows");
    check_inputs("x.shape[0] + len(y) + z.size(0)", ":len() :size()");
    check_inputs("np.zeros_like(x) + np.full_like(x, level)", "x level");
    check_inputs("x.new_zeros(n)", ":new_zeros() n");
    check_inputs("1e-3 * a if not b else None", "a b");
    check_inputs("params[   ] == level", "params level");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_another_in_each_pass),
        cmocka_unit_test(test_what_is_made_anew),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_what_an_expression_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
