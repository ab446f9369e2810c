/* link: analyzer */
/* Which mentions of a name may see what one statement gives it. */
#include "source_run.h"

#include "python/name_uses.h"

static unsigned seen;

static bool note(const char *at, void *state)
{
    (void)state;
    seen++;
    return *at != '\0';
}

/* Mentions of "name" that the statement on the line with "SET" reaches; UINT32_MAX: that is not known. */
static unsigned uses(const char *text)
{
    struct source_run run;
    source_run_begin(&run, text);
    int32_t line = source_run_line(&run, "SET");
    memcpy(strstr(run.text, "SET"), "   ", 3);
    seen = 0;
    return name_uses_visit(&run.source, line, line, (struct word){"name", 4}, note, NULL) ? seen : UINT32_MAX;
}

static void check(const char *text, unsigned expected)
{
    unsigned found = uses(text);
    if (found != expected)
        fail_msg("%s: %u, not %u", text, found, expected);
}

static void test_what_stands_below_sees_it(void **state)
{
    (void)state;
    check("name = f(x) SET\ng(name[:3])\nh(name, name.T)\n", 3);
    check("def f(x):\n    name = f(x) SET\n    return name[:3]\n\ndef g(x):\n    name = x\n    return name\n", 1);
    check("name = f(x) SET\nx.name = names[rename]\n", 0);
    check("name = f(x) SET\nif x:\n    g(name)\nelse:\n    h(name)\n", 2);
}

static void test_until_it_is_given_another_value(void **state)
{
    (void)state;
    check("name = f(x) SET\nname = name[:3]\ng(name)\n", 1);
    check("name = f(x) SET\nif x:\n    name = 3\ng(name)\n", 1);
    check("if x:\n    name = f(x) SET\n    g(name)\nname = 3\ng(name)\n", 2);
    check("def f(x):\n    model.eval()\n    name = f(x) SET\n    return name[:3]\n", 1);
    check("def f(vars):\n    vars = vars[:3]\n    name = f(x) SET\n    return name[:3]\n", 1);
    check("def f(x):\n    name = f(x) SET\n    g(eval(x))\n", UINT32_MAX);
    check("def f(x):\n    name = f(x) SET\n    return locals()\n", UINT32_MAX);
    check("if x:\n    name = f(x) SET\nelse:\n    name = 3\ng(name)\n", 1);
    check("name = f(x) SET\nname += 1\ng(name)\n", 2);
    check("name = f(x) SET\na, name = g(x), 3\nh(name)\n", 0);
    check("name = f(x) SET\nname = g(\n    name)\nh(name)\n", 2);
}

static void test_a_later_round_of_a_loop_sees_it(void **state)
{
    (void)state;
    check("for i in x:\n    g(name)\n    name = f(x) SET\n", 1);
    check("for i in x:\n    name = x[i]\n    g(name)\n    name = f(name) SET\n    h(name)\n", 1);
    check("for i in x:\n    name = f(name) SET\n", 1);
    check("name = 3\nfor i in x:\n    if i:\n        name = x[i]\n    g(name)\n    name = f(x) SET\n", 1);
    check("g(name)\nfor i in x:\n    for j in x:\n        name = f(x) SET\n    h(name)\n", 1);
    check("for i in x:\n    name = g(\n        name)\n    name = f(x) SET\n", 1);
}

static void test_functions_within_see_it(void **state)
{
    (void)state;
    check("def g():\n    return name\nname = f(x) SET\n", 1);
    check("def g(name):\n    return name\nname = f(x) SET\n", 0);
    check("def g():\n    name = 3\n    return name\nname = f(x) SET\n", 0);
    check("def g():\n    global name\n    name = 3\n    return name\nname = f(x) SET\n", 2);
    check("def g(): return name[3:]\nname = f(x) SET\n", 1);
    check("name = f(x) SET\ndef g(a=name):\n    return a\n", 1);
    check("name = f(x) SET\ndef g(a=[name, 1]):\n    return a\n", 1);
    check("name = f(x) SET\ndef g(a, *name, b=1):\n    return name\n", 0);
    check("g = lambda x: name + x\nname = f(x) SET\n", 1);
    check("def h():\n    def g():\n        return name\n    name = f(x) SET\n    return g\n", 1);
}

static void test_targets_are_no_uses(void **state)
{
    (void)state;
    check("name = f(x) SET\nfor name in x:\n    pass\n", 0);
    check("name = f(x) SET\nfor i, (name, a) in x:\n    pass\n", 0);
    check("name = f(x) SET\ny = [name for name in x]\n", 1);
    check("name = f(x) SET\ndel name\n", 0);
    check("name = f(x) SET\nfor i in name:\n    pass\n", 1);
    check("name = f(x) SET\ng(name=3)\n", 1);
}

static void test_what_others_may_see_is_not_known(void **state)
{
    (void)state;
    check("def g():\n    global name\n    name = f(x) SET\n", UINT32_MAX);
    check("class A:\n    name = f(x) SET\n", UINT32_MAX);
    check("def g():\n    def h():\n        nonlocal name\n        name = f(x) SET\n    name = 3\n", UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_stands_below_sees_it),
        cmocka_unit_test(test_until_it_is_given_another_value),
        cmocka_unit_test(test_a_later_round_of_a_loop_sees_it),
        cmocka_unit_test(test_functions_within_see_it),
        cmocka_unit_test(test_targets_are_no_uses),
        cmocka_unit_test(test_what_others_may_see_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
