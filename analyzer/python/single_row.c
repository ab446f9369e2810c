#include "python/single_row.h"

#include <string.h>

#include "python/region.h"

#define DEPTH_MAX 8u

static struct single_row read_value(const struct loop_text *loop, struct word text, unsigned depth);

static bool is_new_axis(struct word item)
{
    static const char *const axes[] = {"None", "np.newaxis", "numpy.newaxis"};
    return WORD_IS_ONE_OF(item, axes);
}

bool single_row_is_slice(const struct loop_text *loop, struct word item)
{
    struct word ends[2], from;
    if (word_split(item, ':', ends, 2) != 2)
        return false;
    from = word_name_at(ends[0].text, word_end(ends[0]));
    struct word to = word_name_at(ends[1].text, word_end(ends[1]));
    if (from.length_bytes == 0 || !word_equal(from, ends[0]) || !word_equal(from, to) ||
        !words_hold(&loop->indices, from))
        return false;
    const char *sign = word_skip_blanks(word_end(to), word_end(ends[1]));
    return sign < word_end(ends[1]) && *sign == '+' && word_is(word_trimmed(sign + 1, word_end(ends[1])), "1");
}

/* "[i]": a list of one index. */
static bool is_list_of_one(const struct loop_text *loop, struct word item)
{
    if (item.length_bytes < 2 || *item.text != '[')
        return false;
    struct word inner = word_in_bracket(item.text, word_end(item));
    return words_hold(&loop->indices, word_trimmed(inner.text, word_end(inner)));
}

static struct single_row read_name(const struct loop_text *loop, struct word name)
{
    for (size_t i = 0; i < loop->rows.count; i++)
        if (word_equal(loop->rows.words[i], name))
            return loop->row_values[i];
    if (words_hold(&loop->elements, name))
        return (struct single_row){.source = ROW_OF_SUBSCRIPT};
    if (words_hold(&loop->items, name))
        return (struct single_row){.source = ROW_OF_ITEM, .item = name};
    return (struct single_row){.source = ROW_NONE};
}

/* "x[i]"; "row[None]", of what is a row itself. */
static struct single_row read_subscript(const struct loop_text *loop, struct word name, struct word index)
{
    struct word items[WORDS_MAX];
    struct word whole = {name.text, (size_t)(word_end(index) - name.text) + 1};
    size_t count = word_split(index, ',', items, WORDS_MAX);
    struct single_row row = read_name(loop, name);
    bool adds = false;
    if (count == 0 || count == SIZE_MAX)
        return (struct single_row){.source = ROW_NONE};
    if (single_row_is_slice(loop, items[0]) || is_list_of_one(loop, items[0]))
        return (struct single_row){.source = ROW_OF_ARRAY, .is_batch = true, .array = name};
    if (row.source != ROW_NONE && !row.is_batch && is_new_axis(items[0])) {
        row.is_batch = true;
        return row;
    }
    for (size_t i = 0; i < count && i < 2; i++)
        adds = adds || is_new_axis(items[i]);
    if (!loop_text_has_element(loop, whole, false))
        return (struct single_row){.source = ROW_NONE};
    return (struct single_row){.source = ROW_OF_SUBSCRIPT, .is_batch = adds, .array = name};
}

/* What a method makes of it. */
static struct single_row follow(struct single_row row, struct word method, struct word arguments)
{
    static const char *const keep[] = {"to",    "float",  "double", "half",   "long",  "cuda", "cpu",    "numpy",
                                       "clone", "detach", "copy",   "astype", "ravel", "type", "squeeze"};
    struct word items[WORDS_MAX];
    size_t count = word_split(arguments, ',', items, WORDS_MAX);
    bool reshapes = word_is(method, "reshape") || word_is(method, "view");
    if (word_is(method, "unsqueeze") && !row.is_batch && count == 1 &&
        (word_is(items[0], "0") || word_is(items[0], "dim=0")))
        row.is_batch = true;
    else if (reshapes && count > 1 && count != SIZE_MAX &&
             (word_is(items[0], "1") || word_is(items[0], "(1") || word_is(items[0], "[1")))
        row.is_batch = true;
    else if (!WORD_IS_ONE_OF(method, keep) ||
             (row.is_batch && (word_is(method, "ravel") || word_is(method, "squeeze"))))
        row.source = ROW_NONE;
    return row;
}

/* "torch.tensor(x[i])", "np.expand_dims(row, 0)", "row.unsqueeze(0)". */
static struct single_row read_call(const struct loop_text *loop, struct word name, struct word arguments,
                                   unsigned depth)
{
    static const char *const converts[] = {"tensor", "as_tensor",   "from_numpy", "asarray",
                                           "array",  "FloatTensor", "Tensor"};
    static const char *const expands[] = {"expand_dims", "unsqueeze", "atleast_2d"};
    struct word items[WORDS_MAX], last = word_last_part(name), root = word_first_part(name);
    size_t count = word_split(arguments, ',', items, WORDS_MAX);
    bool is_function = word_is(root, "np") || word_is(root, "numpy") || word_is(root, "torch");
    if (!is_function && last.text > name.text)
        return follow(read_name(loop, (struct word){name.text, (size_t)(last.text - name.text) - 1}), last, arguments);
    if (!is_function || count == 0 || count == SIZE_MAX)
        return (struct single_row){.source = ROW_NONE};
    struct single_row row = read_value(loop, items[0], depth + 1);
    bool first_axis =
        count == 2 && (word_is(items[1], "0") || word_is(items[1], "axis=0") || word_is(items[1], "dim=0"));
    if (WORD_IS_ONE_OF(last, expands) && !row.is_batch && (first_axis || (word_is(last, "atleast_2d") && count == 1)))
        row.is_batch = true;
    else if (!WORD_IS_ONE_OF(last, converts))
        row.source = ROW_NONE;
    return row;
}

/* What it begins with, and behind it `*rest`. */
static struct single_row read_primary(const struct loop_text *loop, struct word text, unsigned depth, const char **rest)
{
    const char *end = word_end(text);
    struct word name = word_name_at(text.text, end), inner, items[2];
    const char *open = *text.text == '[' ? text.text : word_end(name);
    *rest = open;
    if (name.length_bytes == 0 && *text.text != '[')
        return (struct single_row){.source = ROW_NONE};
    if (open == end || (*open != '[' && *open != '('))
        return read_name(loop, name);
    inner = word_in_bracket(open, end);
    *rest = word_end(inner) < end ? word_end(inner) + 1 : end;
    if (name.length_bytes > 0)
        return *open == '(' ? read_call(loop, name, inner, depth) : read_subscript(loop, name, inner);
    struct single_row row = {.source = ROW_NONE};
    if (word_split(inner, ',', items, 2) == 1)
        row = read_value(loop, items[0], depth + 1);
    row.source = row.is_batch ? ROW_NONE : row.source;
    row.is_batch = true;
    return row;
}

/* "x[i].float().unsqueeze(0)", method by method. */
static struct single_row read_value(const struct loop_text *loop, struct word text, unsigned depth)
{
    const struct single_row none = {.source = ROW_NONE};
    const char *end = word_end(text), *at = end;
    if (depth >= DEPTH_MAX || text.length_bytes == 0)
        return none;
    struct single_row row = read_primary(loop, text, depth, &at);
    while (row.source != ROW_NONE && (at = word_skip_blanks(at, end)) < end) {
        struct word method = *at == '.' ? word_name_at(at + 1, end) : (struct word){0};
        const char *open = *at == '[' ? at : word_end(method);
        bool is_call = method.length_bytes > 0 && open < end && *open == '(';
        if (!is_call && *at != '[')
            return none;
        struct word inner = word_in_bracket(open, end), items[WORDS_MAX];
        if (is_call)
            row = follow(row, method, inner);
        else if (!row.is_batch && word_split(inner, ',', items, WORDS_MAX) - 1 < WORDS_MAX && is_new_axis(items[0]))
            row.is_batch = true;
        else
            return none;
        at = word_end(inner) < end ? word_end(inner) + 1 : end;
    }
    return row;
}

struct single_row single_row_read(const struct loop_text *loop, struct word value)
{
    return read_value(loop, word_trimmed(value.text, word_end(value)), 0);
}

/* "input=x[i:i + 1]" */
static struct word without_keyword(struct word argument)
{
    struct word name = word_name_at(argument.text, word_end(argument));
    const char *sign = word_skip_blanks(word_end(name), word_end(argument));
    bool is_keyword = name.length_bytes > 0 && sign + 1 < word_end(argument) && sign[0] == '=' && sign[1] != '=';
    return is_keyword ? word_trimmed(sign + 1, word_end(argument)) : argument;
}

bool single_row_call(const struct loop_text *loop, struct word expression, bool anywhere, struct word *function,
                     struct single_row *row)
{
    const char *end = word_end(expression);
    for (const char *at = expression.text; at < end;) {
        struct word name = word_name_at(at, end), items[WORDS_MAX];
        bool called = name.length_bytes > 0 && word_end(name) < end && *word_end(name) == '(';
        size_t count = called ? word_split(word_in_bracket(word_end(name), end), ',', items, WORDS_MAX) : 0;
        if (count > 0 && count != SIZE_MAX) {
            *row = single_row_read(loop, without_keyword(items[0]));
            *function = name;
            if (row->source != ROW_NONE)
                return true;
        }
        if (!anywhere)
            return false;
        const char *behind = name.length_bytes > 0 ? word_end(name) : word_skip_quiet(at, end);
        at = behind > at ? behind : at + 1;
    }
    return false;
}

bool single_row_note(struct loop_text *loop, struct word name, struct word value)
{
    struct single_row row = single_row_read(loop, value);
    size_t count = loop->rows.count;
    if (row.source == ROW_NONE || !row.is_batch)
        return false;
    words_add(&loop->rows, name);
    if (loop->rows.count > count)
        loop->row_values[count] = row;
    return true;
}

static void drop(struct words *words, struct word name)
{
    size_t kept = 0;
    for (size_t i = 0; i < words->count; i++)
        if (!word_equal(words->words[i], name))
            words->words[kept++] = words->words[i];
    words->count = kept;
}

/* "def predict(self, x, device=None):" */
static void read_parameters(struct loop_text *loop, struct word header)
{
    struct word items[WORDS_MAX];
    const char *open = memchr(header.text, '(', header.length_bytes);
    size_t count = open != NULL ? word_split(word_in_bracket(open, word_end(header)), ',', items, WORDS_MAX) : 0;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        struct word name = word_name_at(items[i].text, word_end(items[i]));
        if (name.length_bytes > 0)
            words_add(&loop->items, name);
    }
}

void single_row_read_function(struct loop_text *loop, const struct source *source, int32_t def)
{
    struct region_span span = region_function(source, def);
    struct word rest = region_rows(&span), statement, target, value;
    *loop = (struct loop_text){0};
    if (!word_next_statement(&rest, &statement))
        return;
    read_parameters(loop, statement);
    while (word_next_statement(&rest, &statement)) {
        if (!word_assigned(word_trimmed(statement.text, word_end(statement)), &target, &value) ||
            !word_equal(word_name_at(target.text, word_end(target)), target))
            continue;
        bool is_row = single_row_read(loop, value).source != ROW_NONE;
        if (!is_row)
            drop(&loop->items, target);
        single_row_note(loop, target, value);
    }
}
