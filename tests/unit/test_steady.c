/* link: analyzer */
/* Expressions that give the same each time, by the text of their file alone. */
#include "source_run.h"

#include "python/steady.h"

#define HEAD "import numpy as np, os\nimport torch.nn.functional as F\nfrom torch import exp\nbase = np.arange(9.0)\n"

static void check(const char *text, const char *expression, bool expected)
{
    struct source_run run;
    source_run_begin(&run, text);
    if (steady_expression(&run.source, (struct word){expression, strlen(expression)}) != expected)
        fail_msg("%s in: %s", expression, text);
}

static void test_what_is_the_same_each_time(void **state)
{
    (void)state;
    static const char *const steady[] = {"np.cos(base)",
                                         "base * 2.0",
                                         "(base *\n  2.0)",
                                         "np.full((3, 4), 1e-3, dtype=np.float32)",
                                         "F.relu(base - 1.5)[:, None] >= exp(base)",
                                         "np.arange(len(base)).reshape(3, -1)",
                                         "base.sum(axis=0)",
                                         "np.zeros(3)",
                                         "-base[1:5] @ base.reshape(9, 1)"};
    for (size_t i = 0; i < sizeof steady / sizeof steady[0]; i++)
        check(HEAD "for i in range(3):\n    h = np.cos(base)\n    np.put(h, 1, i)\n    h += base\n", steady[i], true);
}

static void test_what_may_be_another(void **state)
{
    (void)state;
    static const char *const other[] = {"base * i",
                                        "np.full(3, 1 / (step + 1))",
                                        "unknown(base)",
                                        "os.urandom(9)",
                                        "np.random.rand(3)",
                                        "rng.permutation(9)",
                                        "base.draw()",
                                        "base(3)",
                                        "torch.randperm(9)",
                                        "self.base * 2",
                                        "(lambda: base)()",
                                        "np.array([x for x in base])",
                                        "np.add(base, 1).fancy()",
                                        "{1: base}[1]"};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        check(HEAD "import torch\nrng = np.random.default_rng(0)\nfor i in range(3):\n    h = np.cos(base)\n", other[i],
              false);
}

/* The name alone decides, wherever in the file it is given another value or stored into. */
static void test_names_that_do_not_stay(void **state)
{
    (void)state;
    static const char *const rows[] = {"base = 3\n",
                                       "if x:\n    base = 3\n",
                                       "for base in y:\n    pass\n",
                                       "base[0] = 1\n",
                                       "base += 1\n",
                                       "np.add(base, 1, out=base)\n",
                                       "base.sort()\n",
                                       "def f(base):\n    pass\n",
                                       "def f():\n    global base\n",
                                       "with f() as base:\n    pass\n",
                                       "if (base := f()):\n    pass\n",
                                       "base, y = f()\n",
                                       "import base\n"};
    char text[500];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        strcpy(text, HEAD);
        strcat(text, rows[i]);
        check(text, "np.cos(base)", false);
    }
    check("def f():\n    base = g()\n    return base * 2\n", "base * 2", false);
    check("import numpy as np\nnp = wrap(np)\n", "np.zeros(3)", false);
    check("from mine import zeros\n", "zeros(3)", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_the_same_each_time),
                                       cmocka_unit_test(test_what_may_be_another),
                                       cmocka_unit_test(test_names_that_do_not_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
