/* link: analyzer */
/* What a loop's rounds work on, by its text: elements, arrays beside them, and what data select. */
#include "loop_run.h"
#include "python/loop_extreme.h"

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

static void test_what_keeps_the_greatest_of_all_rounds(void **state)
{
    (void)state;
    static const char *const kept[] = {
        "    if value > best:\n        best = value\n",
        "    if x[i] > best: best = x[i]\n",
        "    if best >= x[i]:\n        best, at = x[i], i\n",
        "    if (x[i, j] <= best):\n        best = x[i, j]\n        at = (i, j)\n",
        "    if abs(x[i] - y[i]) > best:  # or\n        best = abs(x[i] - y[i])\n",
        "    best = max(best, x[i])\n",
    };
    static const char *const others[] = {
        "    if x[i] > best:\n        best = x[i + 1]\n",
        "    if x[i] > best:\n        best = x[i]\n        count = count + 1\n",
        "    if x[i] > best:\n        best = x[i]\n        count += 1\n",
        "    if x[i] > best and on:\n        best = x[i]\n",
        "    if 0 < x[i] < best:\n        best = x[i]\n",
        "    if x[i] == best:\n        best = x[i]\n",
        "    if x[i] > best * 2:\n        best = x[i]\n",
        "    if x[i] > self.best:\n        self.best = x[i]\n",
        "    if x[i] > best:\n        best = x[i]\n    y[i] = best\n",
    };
    struct words extremes;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        loop_extremes_read((struct word){kept[i], strlen(kept[i])}, &extremes);
        if (extremes.count != 1 || !word_is(extremes.words[0], "best"))
            fail_msg("%s", kept[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        loop_extremes_read((struct word){others[i], strlen(others[i])}, &extremes);
        if (extremes.count != 0)
            fail_msg("%s", others[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_array_as_a_whole),
        cmocka_unit_test(test_what_no_whole_array_has),
        cmocka_unit_test(test_what_keeps_the_greatest_of_all_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
