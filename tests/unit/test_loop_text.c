/* link: analyzer */
/* What a loop's rounds work on, by its text: elements, arrays beside them, and what data select. */
#include "loop_run.h"

static void test_an_array_as_a_whole(void **state)
{
    (void)state;
    struct loop_text loop =
        loop_run_read("for i in range(n):\n    far = np.abs(x - x[i])\n    near = x[i] * 2\n    y[i] = near\n");
    const struct word whole = {"np.abs(x - x[i])", 16}, one = {"x[i] * len(x)", 4}, other = {"w @ x[i]", 8};
    assert_true(loop_text_has_whole(&loop, whole));
    assert_false(loop_text_has_whole(&loop, one));
    assert_false(loop_text_has_whole(&loop, other));
    assert_true(words_have(&loop.elements, (struct word){"near", 4}));
    assert_false(words_have(&loop.elements, (struct word){"far", 3}));
}

static void test_what_no_whole_array_has(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "for i in range(n):\n    y[i] = x[np.flatnonzero(r[i])].sum()\n",
        "for i in range(n):\n    y[i] = x[r[i] > 0].sum()\n",
        "for i in range(n):\n    y[i] = x[r[i] == 1].sum()\n",
        "for i in range(n):\n    y[i] = len(np.unique(x[i]))\n",
        "for i in range(n):\n    y[i] = x[ends[i]:ends[i + 1]].sum()\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!loop_run_read(texts[i]).carried)
            fail_msg("%s", texts[i]);
    assert_false(loop_run_read("for i in range(n):\n    y[i] = x[i:i + 1].sum()\n").carried);
    assert_false(loop_run_read("for i in range(n):\n    y[i] = x[where[i]]\n").carried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_array_as_a_whole),
        cmocka_unit_test(test_what_no_whole_array_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
