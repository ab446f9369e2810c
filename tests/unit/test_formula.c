/* link: analyzer */
/* Functions that compute one value of what they are handed, and those that do more. */
#include "source_run.h"

#include "python/formula.h"

static struct formula formula_of(const char *text)
{
    static struct source_run run; /* what is told points into its text */
    source_run_begin(&run, text);
    return formula_read(&run.source, source_run_line(&run, "def f("));
}

static void test_one_value_of_what_it_is_handed(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "def f(v):\n    return v * 2\n",
        "def f(v): return max(v, 0)\n",
        "class A:\n    def f(self, v):\n        return self.slope * v\n",
        "def f(v, goal):\n    far = v - goal\n    near = far * far\n    return near + far\n",
        "def f(v):\n    a = b = v\n    a = a + 1\n    return a * b\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!formula_of(texts[i]).is_one)
            fail_msg("%s", texts[i]);
}

static void test_more_than_that(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "def f(v):\n    print(v)\n",
        "def f(v):\n    for i in range(9):\n        v = v / 2\n    return v\n",
        "def f(v):\n    return sum(w * v for w in weights)\n",
        "def f(v):\n    while v > 1:\n        v = v / 2\n    return v\n",
        "def f(v):\n    return v if v < 2 else f(v - 1)\n",
        "class A:\n    def f(self, v):\n        return v if v < 2 else self.f(v - 1)\n",
        "class A:\n    def f(self, v):\n        self.last = v\n        return v\n",
        "def f(v):\n    seen[0] += 1\n    return v\n",
        "def f(v):\n    seen.append(v)\n    return v\n",
        "def f(v):\n    global last\n    last = v\n    return v\n",
        "def f(v):\n    return v + rng.normal()\n",
        "def f(v):\n    return v + next(noise)\n",
        "def f(v):\n    return v + left.pop()\n",
        "def f(v):\n    yield v\n",
        "def f(v):\n    return seen.append(v) or v\n",
        "def f(v):\n    s = state\n    s[0] = 0.9 * s[0] + v\n    return s[0]\n",
        "def f(v):\n    s = state\n    s += v\n    return s\n",
        "def f(v):\n    log = seen\n    log[1], log[0] = log[0], v\n    return v\n",
        "def f(v):\n    m = np.add(mean, v, out=mean)\n    return m\n",
        "def f(v, seen=[]):\n    seen[0] += v\n    return v\n",
        "def f(v):\n    Seen.count += 1\n    return v\n",
        "def f(v):\n    return v * time.time()\n",
        "def f(v):\n    with lock:\n        w = v\n    return w\n",
        "def f(v):\n    a = 1\n    a = 2\n    a = 3\n    a = 4\n    a = 5\n    a = 6\n    a = 7\n    a = 8\n    a = 9\n"
        "    a = 10\n    a = 11\n    return a * v\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (formula_of(texts[i]).is_one)
            fail_msg("%s", texts[i]);
    assert_false(formula_read(&(struct source){.text = NULL}, 0).is_one);
}

static void test_what_has_another_form_for_arrays(void **state)
{
    (void)state;
    struct formula plain = formula_of("def f(v):\n    return v * gift\n");
    struct formula both = formula_of("def f(v):\n    if v < 0:\n        return math.exp(v)\n    return 1.0\n");
    assert_false(plain.chooses || plain.uses_math);
    assert_true(both.is_one && both.chooses && both.uses_math);
}

static void test_what_it_takes_beside_its_arguments(void **state)
{
    (void)state;
    struct formula formula = formula_of(
        "class A:\n    def f(self, v):\n        w = self.g(v)\n        return w * self.slope[2] * scale * np.exp(v)\n"
        "    def g(self, v):\n        return v - self.mean\n");
    assert_true(formula.is_one);
    assert_int_equal(formula.outer.count, 3);
    assert_true(word_is(formula.outer.words[0], "mean") && word_is(formula.outer.words[1], "slope") &&
                word_is(formula.outer.words[2], "scale"));
    assert_int_equal(formula_of("def f(v):\n    w = v\n    return np.exp(w)\n").outer.count, 0);
}

static void test_what_a_formula_calls_is_one(void **state)
{
    (void)state;
    assert_true(
        formula_of("def f(v):\n    return g(v) + 1\ndef g(v):\n    return v * 2 if v > 0 else math.exp(v)\n").chooses);
    assert_false(formula_of("def f(v):\n    return g(v) + 1\ndef g(v):\n    seen.append(v)\n    return v\n").is_one);
    assert_false(formula_of("def f(v):\n    return g(v) + 1\n").is_one);
    assert_false(formula_of("def f(v):\n    return g(v)\ndef g(v):\n    return f(v)\n").is_one);
}

static void test_lambdas(void **state)
{
    (void)state;
    struct source_run run;
    source_run_begin(&run,
                     "relu = lambda v: v if v > 0 else 0.0\ntotal = lambda v: sum(w * v for w in a)\nother = 3\n");
    assert_true(formula_read_lambda(&run.source, 1).is_one && formula_read_lambda(&run.source, 1).chooses);
    for (int32_t row = 2; row <= 5; row++)
        assert_false(formula_read_lambda(&run.source, row).is_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_value_of_what_it_is_handed),
        cmocka_unit_test(test_more_than_that),
        cmocka_unit_test(test_what_has_another_form_for_arrays),
        cmocka_unit_test(test_what_it_takes_beside_its_arguments),
        cmocka_unit_test(test_what_a_formula_calls_is_one),
        cmocka_unit_test(test_lambdas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
