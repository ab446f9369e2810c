#include "python/loop_uses.h"

#include <ctype.h>
#include <string.h>

static void add_use(struct loop_uses *uses, struct loop_use use)
{
    uses->full |= uses->count == LOOP_USES_MAX;
    if (uses->count < LOOP_USES_MAX)
        uses->uses[uses->count++] = use;
}

/* "out.append(x)", "h.copy_(x)", "h[t].mul_(x)", "out=h[t]": does a use store into what it names? Then it is made one that does. */
static bool is_call_store(struct loop_use *use, const char *begin, const char *end)
{
    static const char *const methods[] = {"append", "extend", "insert", "appendleft", "fill", "sort", "put"};
    struct word method = word_last_part(use->name);
    const char *behind = use->index.length_bytes > 0 ? use->index.text + use->index.length_bytes + 1 : end;
    bool of_element = behind < end && *behind == '.';
    bool of_name = use->called && method.text != use->name.text;
    if (of_element) {
        struct word name = word_name_at(behind + 1, end);
        of_element = name.text + name.length_bytes < end && name.text[name.length_bytes] == '(';
        method = word_last_part(name);
    }
    bool changes =
        WORD_IS_ONE_OF(method, methods) || (method.length_bytes > 1 && method.text[method.length_bytes - 1] == '_');
    bool is_out = use->name.text - begin >= 4 && memcmp(use->name.text - 4, "out=", 4) == 0;
    if (!is_out && !(changes && (of_element || of_name)))
        return false;
    if (of_name && !is_out)
        use->name.length_bytes -= method.length_bytes + 1;
    use->stored = use->within = true;
    use->called = false;
    return true;
}

/* The place of the argument that takes the result of a function of NumPy's, where one does by its place; SIZE_MAX: none does. */
static size_t place_of_result(struct word function)
{
    static const char *const first[] = {"copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "at"};
    static const char *const second[] = {"exp",      "log",  "sqrt",       "square", "tanh",  "sin",  "cos",
                                         "abs",      "sign", "log1p",      "expm1",  "floor", "ceil", "negative",
                                         "absolute", "rint", "reciprocal", "log2",   "exp2"};
    static const char *const third[] = {
        "add",         "subtract",     "multiply",   "divide",      "true_divide", "maximum",  "minimum",
        "power",       "matmul",       "dot",        "fmax",        "fmin",        "hypot",    "mod",
        "remainder",   "floor_divide", "arctan2",    "logaddexp",   "logaddexp2",  "copysign", "fmod",
        "float_power", "logical_and",  "logical_or", "logical_xor", "greater",     "less"};
    struct word name = word_last_part(function), root = word_first_part(function);
    if (!word_is(root, "np") && !word_is(root, "numpy"))
        return SIZE_MAX;
    return WORD_IS_ONE_OF(name, first)    ? 0
           : WORD_IS_ONE_OF(name, second) ? 1
           : WORD_IS_ONE_OF(name, third)  ? 2
           : word_is(name, "clip")        ? 3
                                          : SIZE_MAX;
}

/* "np.add(y[i], x, y[i])", "np.copyto(y[i], x)": of the uses from `first` on, those of the statement. */
static void note_results_by_place(struct loop_uses *uses, size_t first, const char *end)
{
    for (size_t i = first; i < uses->count; i++) {
        struct word items[WORDS_MAX];
        size_t place = uses->uses[i].called ? place_of_result(uses->uses[i].name) : SIZE_MAX;
        size_t count = place == SIZE_MAX
                           ? 0
                           : word_split(word_in_bracket(word_end(uses->uses[i].name), end), ',', items, WORDS_MAX);
        for (size_t k = i + 1; count != SIZE_MAX && place < count && k < uses->count; k++)
            if (uses->uses[k].name.text == items[place].text)
                uses->uses[k].stored = uses->uses[k].within = true;
    }
}

void loop_uses_add_view(struct loop_uses *uses, struct word name, struct word value)
{
    struct word array = word_name_at(value.text, word_end(value));
    const char *open = word_end(array);
    if (array.length_bytes == 0 || open == word_end(value) || *open != '[')
        return;
    struct word index = word_in_bracket(open, word_end(value));
    const char *behind = word_end(index) < word_end(value) ? word_end(index) + 1 : word_end(value);
    if (behind < word_end(value) && *behind != '.')
        return;
    uses->full |= uses->view_count == LOOP_VIEWS_MAX;
    if (uses->view_count < LOOP_VIEWS_MAX)
        uses->views[uses->view_count++] = (struct loop_view){name, array, index};
}

void loop_uses_follow_views(struct loop_uses *uses)
{
    const size_t count = uses->count;
    for (size_t i = 0; i < count; i++) {
        struct loop_use use = uses->uses[i];
        for (size_t k = 0; use.stored && k < uses->view_count; k++) {
            const struct loop_view *view = &uses->views[k];
            if (!word_equal(use.name, view->name) || !(use.added || use.within || use.index.length_bytes > 0))
                continue;
            struct loop_use store = use;
            store.name = view->array;
            store.index = view->index;
            store.added = true;
            add_use(uses, store);
        }
    }
}

/* "(a, b) = ...", "a, [b, c] = ...": a bracket around targets, and no call or subscript. */
static bool groups(struct word targets, const char *bracket)
{
    const char *before = bracket;
    while (before > targets.text && (before[-1] == ' ' || before[-1] == '\n'))
        before--;
    return before == targets.text || strchr(",([*", before[-1]) != NULL;
}

void loop_uses_read(struct loop_uses *uses, struct word text, uint32_t statement, bool stored, bool added)
{
    const char *end = text.text + text.length_bytes;
    const size_t first = uses->count;
    size_t depth = 0;
    for (const char *at = text.text; at < end;) {
        const char *behind = word_skip_quiet(at, end);
        if (behind > at) {
            at = behind;
            continue;
        }
        depth += (*at == '(' || *at == '[' || *at == '{') && !(stored && depth == 0 && groups(text, at));
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
        bool begins = word_char(*at) && !isdigit((unsigned char)*at) && (at == text.text || at[-1] != '.');
        if (!begins) {
            while (at < end && word_char(*at) && at + 1 < end && word_char(at[1]))
                at++; /* a number's letters, or an attribute of a call */
            at++;
            continue;
        }
        struct word name = word_name_at(at, end);
        at = word_skip_blanks(name.text + name.length_bytes, end);
        bool keyword_argument = depth > 0 && at < end && *at == '=' && (at + 1 == end || at[1] != '=');
        if (word_is_keyword(name) || keyword_argument)
            continue;
        bool is_walrus = end - at >= 2 && at[0] == ':' && at[1] == '=';
        struct loop_use use = {
            .name = name, .statement = statement, .stored = (stored && depth == 0) || is_walrus, .added = added};
        use.called = at < end && *at == '(';
        if (at < end && *at == '[')
            use.index = word_in_bracket(at, end);
        use.stored = use.stored && !use.called;
        is_call_store(&use, text.text, end);
        add_use(uses, use);
    }
    note_results_by_place(uses, first, end);
}
