/* link: analyzer */
/* What a loop hands on of an array: one row, made a batch of one, or something else. */
#include "loop_run.h"

#include "python/single_row.h"

static struct word word_of(const char *text)
{
    return (struct word){text, strlen(text)};
}

#define LOOP "for i, row in enumerate(X):\n    x = X[i]\n    one = X[i:i + 1]\n    out = f(x)\n"

static void test_batches_of_one(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum row_source source;
    } rows[] = {
        {"X[i:i + 1]", ROW_OF_ARRAY},
        {"X[ i : i+1 ]", ROW_OF_ARRAY},
        {"X[i:i + 1, :]", ROW_OF_ARRAY},
        {"self.data[i:i + 1].to(device)", ROW_OF_ARRAY},
        {"X[[i]]", ROW_OF_ARRAY},
        {"one", ROW_OF_ARRAY},
        {"one.float()", ROW_OF_ARRAY},
        {"X[i, None]", ROW_OF_SUBSCRIPT},
        {"X[None, i]", ROW_OF_SUBSCRIPT},
        {"X[i].unsqueeze(0)", ROW_OF_SUBSCRIPT},
        {"X[i].float().unsqueeze(0)", ROW_OF_SUBSCRIPT},
        {"X[order[i]].reshape(1, -1)", ROW_OF_SUBSCRIPT},
        {"[X[i]]", ROW_OF_SUBSCRIPT},
        {"x.view(1, 1, 28, 28)", ROW_OF_SUBSCRIPT},
        {"np.array([x])", ROW_OF_SUBSCRIPT},
        {"torch.unsqueeze(torch.tensor(x), 0)", ROW_OF_SUBSCRIPT},
        {"np.expand_dims(row, axis=0)", ROW_OF_ITEM},
        {"row[None]", ROW_OF_ITEM},
        {"row[np.newaxis, :]", ROW_OF_ITEM},
        {"[row]", ROW_OF_ITEM},
        {"torch.from_numpy(row).unsqueeze(0)", ROW_OF_ITEM},
    };
    struct loop_text loop = loop_run_read(LOOP);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct single_row row = single_row_read(&loop, word_of(rows[i].text));
        if (row.source != rows[i].source || !row.is_batch)
            fail_msg("%s", rows[i].text);
    }
}

static void test_anything_else(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "X",
        "X[i:i + 2]",
        "X[i:i + batch]",
        "X[i:j + 1]",
        "X[k:k + 1]",
        "X[:i + 1]",
        "X[i - 5:i + 1]",
        "X[0].unsqueeze(0)",
        "row.unsqueeze(0).unsqueeze(0)",
        "row.unsqueeze(1)",
        "row.reshape(-1, 1)",
        "[row, row]",
        "[r for r in row]",
        "[[row]]",
        "one[0].unsqueeze(1)",
        "f(row)",
        "encode(row).unsqueeze(0)",
        "row.neighbours().unsqueeze(0)",
        "other[None]",
        "",
        "(",
        "[",
        "X[",
        "X[i:i + 1",
        "row.",
        "row.unsqueeze(",
    };
    struct loop_text loop = loop_run_read(LOOP);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct single_row row = single_row_read(&loop, word_of(texts[i]));
        bool is_cut_short = strcmp(texts[i], "X[i:i + 1") == 0;
        if (row.source != ROW_NONE && row.is_batch && !is_cut_short)
            fail_msg("%s", texts[i]);
    }
}

static void test_calls(void **state)
{
    (void)state;
    struct loop_text loop = loop_run_read(LOOP);
    struct word function;
    struct single_row row;
    assert_true(single_row_call(&loop, word_of("self.net(X[i:i + 1], mask)"), false, &function, &row));
    assert_true(word_is(function, "self.net") && word_is(row.array, "X") && row.is_batch);
    assert_true(single_row_call(&loop, word_of("net(inputs=one)"), false, &function, &row));
    assert_true(single_row_call(&loop, word_of("best = max(best, net(x[None]).max())"), true, &function, &row));
    assert_true(word_is(function, "net"));
    assert_false(single_row_call(&loop, word_of("max(0, net(x[None]))"), false, &function, &row));
    assert_false(single_row_call(&loop, word_of("net(mask, X[i:i + 1])"), false, &function, &row));
}

static void test_functions(void **state)
{
    (void)state;
    static struct source_run run;
    struct loop_text function;
    struct word called;
    struct single_row row;
    source_run_begin(&run, "def predict(model, x, scale=1):\n    x = x.float()\n    z = torch.tensor(x).unsqueeze(0)\n"
                           "    scale = f(scale)\n    return model(z)\n");
    single_row_read_function(&function, &run.source, 1);
    assert_true(single_row_call(&function, word_of("model(z)"), false, &called, &row));
    assert_true(row.is_batch && row.source == ROW_OF_ITEM && word_is(row.item, "x") && word_is(called, "model"));
    assert_true(single_row_call(&function, word_of("model(x)"), false, &called, &row) && !row.is_batch);
    assert_false(single_row_call(&function, word_of("model(scale)"), false, &called, &row));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_of_one),
        cmocka_unit_test(test_anything_else),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
