/* link: analyzer */
/* What statements do with an array that they name, what expressions stand for, and which calls reduce one array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "python/array_value.h"
#include "python/mention.h"
#include "python/reduction.h"

#define CODE "order = rng.permutation(n)\nsome = order[a:b]\ni = rng.integers(n)\n"

static struct word word_of(const char *text)
{
    return (struct word){text, strlen(text)};
}

/* Of the first "X" in the statement. */
static struct mention mention_of(const char *statement)
{
    struct mention mention;
    const char *at = strchr(statement, 'X');
    assert_non_null(at);
    mention_read(&mention, word_of(CODE), word_of(statement), at, at + 1);
    return mention;
}

static void check(const char *statement, enum mention_kind expected)
{
    enum mention_kind kind = mention_of(statement).kind;
    if (kind != expected)
        fail_msg("%s: %d, not %d", statement, (int)kind, (int)expected);
}

static void test_what_reads(void **state)
{
    static const char *const statements[] = {"a = X + 1",
                                             "a = b - X",
                                             "a = -X",
                                             "a = (X)[0] * 2",
                                             "X.mean()",
                                             "a = len(X)",
                                             "a = X.shape[0]",
                                             "a = X[0].sum()",
                                             "a = X.T.reshape(-1).max(axis=0)",
                                             "a = b[X]",
                                             "b[X] = 1",
                                             "b += X",
                                             "a = np.dot(X, b)",
                                             "a = np.stack([X, b])",
                                             "a = b.dot(X)",
                                             "a = X[order]",
                                             "a = X[some]",
                                             "if X is None",
                                             "a = X == b",
                                             "a = b if X > 0 else c",
                                             "assert X.shape == b",
                                             "while X.max() > 1",
                                             "for i in range(len(X))",
                                             "return X @ w",
                                             "a = F.mse_loss(b, X)",
                                             "a = np.random.choice(X, 5)",
                                             "print(X)",
                                             "a = X\n    + 1"};
    (void)state;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
        check(statements[i], MENTION_READ);
}

static void test_what_stores(void **state)
{
    static const char *const statements[] = {"X[0] = 1",   "X += 1",        "X[0] *= 2",           "X.fill(0)",
                                             "X.T.sort()", "X[:5].mul_(2)", "a, X[0] = b",         "X.shape = 3, 4",
                                             "X.data = b", "for X[0] in b", "X.view(3, 4)[0] += 1"};
    (void)state;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
        check(statements[i], MENTION_STORED);
}

static void test_what_gives_it_to_others(void **state)
{
    (void)state;
    check("X = b + 1", MENTION_GIVEN);
    check("a, X = b", MENTION_GIVEN);
    check("(a, X) = b", MENTION_GIVEN);
    check("for a, X in b", MENTION_GIVEN);
    assert_true(word_is(mention_of("a, X = b, c + 1").value, "c + 1"));
    check("a = X", MENTION_SHARED);
    check("a = X[1:]", MENTION_SHARED);
    check("a = X[i]", MENTION_SHARED);
    check("a = (X, b)", MENTION_SHARED);
    check("a = +X", MENTION_SHARED);
    check("a = np.asarray(X)[0]", MENTION_SHARED);
    check("for a, b in zip(X, c)", MENTION_SHARED);
    assert_true(word_is(mention_of("for a, b in zip(X, c)").targets, "a, b"));
    check("return X", MENTION_RETURNED);
    check("return a, X[1:]", MENTION_RETURNED);
    check("return *X, a", MENTION_RETURNED);
    check("a = f(b, X)", MENTION_HANDED);
    check("m.fit(X)", MENTION_HANDED);
    check("a = rng.choice(X, 5)", MENTION_HANDED); /* an object of one's own may have a method of that name */
    check("m[0].fit(X)", MENTION_HANDED);
    struct mention mention = mention_of("a = m.fit(b, [c, d], X[:2], e=f)");
    assert_true(word_is(mention.function, "m.fit") && mention.place == 2 && mention.keyword.length_bytes == 0);
    mention = mention_of("a = fit(b, key=X.T)");
    assert_true(word_is(mention.function, "fit") && word_is(mention.keyword, "key"));
}

static void test_what_is_not_understood(void **state)
{
    static const char *const statements[] = {"X",
                                             "X.augment()",
                                             "a = X if b else c",
                                             "a = b or X",
                                             "a = {1: X}",
                                             "f(*X)",
                                             "f(**X)",

                                             "a = lambda: X",
                                             "a = [b for b in X]",
                                             "a = [X for X in b]",
                                             "yield X",
                                             "del X",
                                             "global X",
                                             "import X",
                                             "with f() as X",
                                             "@X",
                                             "a = b = X",
                                             "print(a := X)",
                                             "np.add(a, b, X)",
                                             "np.add(a, b, out=X)",
                                             "np.copyto(X, a)",
                                             "a = X(3)",
                                             "torch.optim.SGD([X])",
                                             "np.sqrt(a, X)",
                                             "[a, X] = b",
                                             "f()(X)",
                                             "a = X\\",
                                             "a = f(X",
                                             "a = X[",
                                             "a = await X",
                                             "np.asarray(X)[0] = 1",
                                             "a = random.choice(X)",
                                             "a = X.sum(out=b)",
                                             "F.relu(X, True)"};
    (void)state;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        enum mention_kind kind = mention_of(statements[i]).kind;
        if (kind != MENTION_UNKNOWN && kind != MENTION_HANDED)
            fail_msg("%s: %d", statements[i], (int)kind);
    }
}

static void check_value(const char *expression, enum value_kind expected, const char *name)
{
    struct value value = value_of(word_of(expression));
    if (value.kind != expected || (name != NULL && !word_is(value.name, name)))
        fail_msg("%s: %d", expression, (int)value.kind);
}

static void test_what_an_expression_stands_for(void **state)
{
    (void)state;
    check_value("np.zeros((3, n))", VALUE_NEW, NULL);
    check_value("rng.normal(size=n).astype(np.float32)", VALUE_NEW, NULL);
    check_value("a @ b + 1", VALUE_NEW, NULL);
    check_value("(a > 0).long()", VALUE_NEW, NULL);
    check_value("np.random.default_rng(0).normal(size=n)", VALUE_NEW, NULL);
    check_value("a.copy()", VALUE_NEW, NULL);
    check_value("None", VALUE_NEW, NULL);
    check_value("a", VALUE_SHARED, "a");
    check_value("self.a[1:].T", VALUE_SHARED, "self.a");
    check_value("torch.from_numpy(a.reshape(-1))", VALUE_SHARED, "a");
    check_value("make(n, 3)", VALUE_CALLED, "make");
    check_value("make(n)[0]", VALUE_CALLED, "make");
    check_value("env.reset()", VALUE_UNKNOWN, NULL);
    check_value("table.values", VALUE_UNKNOWN, NULL);
    check_value("a if b else c", VALUE_UNKNOWN, NULL);
    check_value("np.load(a, mmap_mode=b)", VALUE_UNKNOWN, NULL);
    check_value("np.frombuffer(a)", VALUE_UNKNOWN, NULL);
    check_value("np.array(a, copy=False)", VALUE_UNKNOWN, NULL);
    check_value("nn.Parameter(a)", VALUE_UNKNOWN, NULL);
    check_value("a, b", VALUE_UNKNOWN, NULL);
    check_value("+a", VALUE_UNKNOWN, NULL);
    check_value("((((((((((a))))))))))", VALUE_UNKNOWN, NULL);
    check_value("", VALUE_UNKNOWN, NULL);
}

static void test_indices_are_arrays_by_all_that_they_are_given(void **state)
{
    (void)state;
    assert_true(index_is_array(word_of(CODE), word_of("order")));
    assert_true(index_is_array(word_of(CODE), word_of("some")));
    assert_false(index_is_array(word_of(CODE), word_of("i")));
    assert_false(index_is_array(word_of(CODE), word_of("j")));
    assert_false(index_is_array(word_of(CODE), word_of("order, 0")));
    assert_false(index_is_array(word_of(CODE "order = 3\n"), word_of("order")));
    assert_false(index_is_array(word_of(CODE "def f(order):\n    pass\n"), word_of("order")));
    assert_false(index_is_array(word_of(CODE "a = [x[order] for order in b]\n"), word_of("order")));
}

static void check_reduction(const char *expression, const char *expected)
{
    struct reduction reduction;
    bool found = reduction_read(word_of(expression), &reduction);
    if (found != (expected != NULL) || (found && !word_is(reduction.operand, expected)))
        fail_msg("%s: %.*s", expression, found ? (int)reduction.operand.length_bytes : 0,
                 found ? reduction.operand.text : "");
}

static void test_reductions(void **state)
{
    (void)state;
    check_reduction("x.mean(axis=0)", "x");
    check_reduction("x.sum(0, keepdims=True)", "x");
    check_reduction("np.linalg.norm(x, -1)", "x");
    check_reduction("torch.std(x, dim=(0, -1))", "x");
    check_reduction("np.quantile(x, [0.1, 0.9])", "x");
    check_reduction("x.max()", "x");
    check_reduction("x.sum(dtype=np.float64)", "x");
    check_reduction("np.bincount(x, minlength=k)", "x");
    check_reduction("self.x.sum()", "self.x");
    check_reduction("np.mean(self.x, axis=0)", "self.x");
    check_reduction("np.bincount(self.x, minlength=k)", NULL);
    static const char *const others[] = {"x[0].mean()",
                                         "x.y.mean()",
                                         "self.x.y.mean()",
                                         "np.mean(x * 2)",
                                         "x.mean(axis=k.axis)",
                                         "x.mean(k)",
                                         "x.sum(out=a)",
                                         "np.mean()",
                                         "x.cumsum()",
                                         "x.mean",
                                         "x.mean() + 1",
                                         "x.sum(where=a)",
                                         "np.average(x, 0, w)",
                                         "mean(x)",
                                         "stats.norm(x)",
                                         "f(x).mean()",
                                         "x.max(y)",
                                         "rng.permutation(x)",
                                         "np.max(*x)",
                                         "x.sum(axis=np.argmax(y))",
                                         "x.mean(",
                                         ""};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        check_reduction(others[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_reads),
        cmocka_unit_test(test_what_stores),
        cmocka_unit_test(test_what_gives_it_to_others),
        cmocka_unit_test(test_what_is_not_understood),
        cmocka_unit_test(test_what_an_expression_stands_for),
        cmocka_unit_test(test_indices_are_arrays_by_all_that_they_are_given),
        cmocka_unit_test(test_reductions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
