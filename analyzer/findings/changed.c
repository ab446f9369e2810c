#include "findings/changed.h"

#include <string.h>

#include "findings/handed.h"
#include "findings/loop.h"
#include "findings/statement.h"
#include "findings/words.h"
#include "model/source.h"

#define PARAMETERS_MAX 32u
#define LINES_MAX 500 /* so far below is looked: each line is searched for from the file's beginning */

/* "h.sort", "h.mul_": a method that changes what it belongs to, of NumPy or by PyTorch's rule for their names. */
static bool is_changing_method(struct word name)
{
    static const char *const methods[] = {"sort", "fill", "partition", "put", "itemset", "setfield"};
    struct word last = word_last_part(name);
    bool underscore = last.length_bytes > 1 && last.text[last.length_bytes - 1] == '_' && last.text[0] != '_';
    return last.text != name.text && (underscore || WORD_IS_ONE_OF(last, methods));
}

/* "np.copyto(h, ...)", which changes its first argument. */
static bool changes_first(struct word name, const char *bracket, const char *end, struct word buffer)
{
    static const char *const functions[] = {"copyto",        "at",      "put",           "place", "putmask",
                                            "fill_diagonal", "shuffle", "put_along_axis"};
    const char *first = word_skip_blanks(bracket + 1, end);
    return WORD_IS_ONE_OF(word_last_part(name), functions) && first < end &&
           word_equal(word_name_at(first, end), buffer);
}

/* "f(x, inplace=True)" and PyTorch's "f_(x)": of functions that change their first argument where they are asked to. */
static bool changes_in_place(struct word name, const char *bracket, const char *end, struct word buffer)
{
    struct word arguments = word_in_bracket(bracket, end);
    const char *first = word_skip_blanks(arguments.text, end);
    static const char *const asking[] = {"inplace=True", "overwrite_", "copy=False"};
    bool asked = false;
    for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]) && !asked; i++)
        asked = memmem(arguments.text, arguments.length_bytes, asking[i], strlen(asking[i])) != NULL;
    bool by_name = name.length_bytes > 1 && name.text[name.length_bytes - 1] == '_';
    return (asked || by_name) && first < end && word_equal(word_name_at(first, end), buffer);
}

/* "np.add(x, y, h)": the third argument of NumPy's functions of two arrays is out. */
static bool is_third(struct word name, const char *bracket, const char *end, struct word buffer)
{
    static const char *const functions[] = {
        "add",         "subtract",    "multiply",   "divide",      "true_divide", "floor_divide",  "power",
        "float_power", "mod",         "remainder",  "fmod",        "maximum",     "minimum",       "fmax",
        "fmin",        "hypot",       "arctan2",    "logaddexp",   "logaddexp2",  "matmul",        "dot",
        "outer",       "copysign",    "heaviside",  "logical_and", "logical_or",  "logical_xor",   "bitwise_and",
        "bitwise_or",  "bitwise_xor", "left_shift", "right_shift", "greater",     "greater_equal", "less",
        "less_equal",  "equal",       "not_equal",  "nextafter",   "ldexp"};
    struct word items[PARAMETERS_MAX];
    size_t count = word_split(word_in_bracket(bracket, end), ',', items, PARAMETERS_MAX);
    return handed_is_of_arrays(name) && WORD_IS_ONE_OF(word_last_part(name), functions) && count != SIZE_MAX &&
           count > 2 && word_equal(items[2], buffer);
}

/* "h.view(6, -1)[2].mul_(2)" */
static bool is_chain_in_place(struct word statement, struct word buffer)
{
    const char *end = statement.text + statement.length_bytes, *at = word_skip_blanks(statement.text, end);
    if (at == end || !word_is_part_of(word_name_at(at, end), buffer))
        return false;
    while ((at = memmem(at, (size_t)(end - at), "_(", 2)) != NULL) {
        const char *first = at;
        while (first > statement.text && word_char(first[-1]))
            first--;
        if (first < at && first > statement.text && first[-1] == '.')
            return true;
        at += 2;
    }
    return false;
}

/* Does a call in the text store into the buffer? */
static bool calls_change(struct word text, struct word buffer)
{
    const char *end = text.text + text.length_bytes;
    for (const char *at = text.text; at < end;) {
        struct word name = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        const char *behind = word_skip_blanks(name.text + name.length_bytes, end);
        bool called = name.length_bytes > 0 && behind < end && *behind == '(';
        bool is_out = word_equal(name, buffer) && ((at - text.text > 4 && memcmp(at - 4, "out=", 4) == 0) ||
                                                   (at - text.text > 5 && memcmp(at - 5, "out=(", 5) == 0));
        if (is_out || (called && word_is_part_of(name, buffer) && is_changing_method(name)) ||
            (called && (changes_first(name, behind, end, buffer) || changes_in_place(name, behind, end, buffer) ||
                        is_third(name, behind, end, buffer))))
            return true;
        at = name.length_bytes > 0 ? name.text + name.length_bytes : at + 1;
    }
    return false;
}

enum effect { EFFECT_NONE, EFFECT_CHANGES, EFFECT_REBINDS };

/* Of one target of an assignment. */
static enum effect effect_on(struct word target, bool augmented, struct word buffer)
{
    const char *end = target.text + target.length_bytes;
    struct word name = word_name_at(target.text, end);
    const char *behind = word_skip_blanks(name.text + name.length_bytes, end);
    if (!word_is_part_of(name, buffer))
        return EFFECT_NONE;
    if (behind < end)
        return *behind == '[' ? EFFECT_CHANGES : EFFECT_NONE;
    if (!word_equal(name, buffer))
        return EFFECT_NONE;
    return augmented ? EFFECT_CHANGES : EFFECT_REBINDS;
}

static enum effect effect_of(struct word statement, struct word buffer)
{
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    struct word targets[PARAMETERS_MAX];
    enum effect effect = EFFECT_NONE;
    if (calls_change(statement, buffer) || (sign == NULL && is_chain_in_place(statement, buffer)))
        return EFFECT_CHANGES;
    if (sign == NULL)
        return EFFECT_NONE;
    size_t count =
        word_split((struct word){statement.text, (size_t)(sign - statement.text)}, ',', targets, PARAMETERS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count && effect != EFFECT_CHANGES; i++) {
        enum effect one = effect_on(targets[i], length > 1, buffer);
        effect = one != EFFECT_NONE ? one : effect;
    }
    return effect;
}

static size_t indent_of(struct word line)
{
    return (size_t)(word_skip_blanks(line.text, line.text + line.length_bytes) - line.text);
}

/* "h.shape", "len(h)": what it holds is not asked. */
static bool is_of_shape(struct word name, struct word buffer, struct word statement)
{
    static const char *const parts[] = {"shape", "size", "dtype", "ndim", "device", "nbytes", "itemsize"};
    bool is_part = name.length_bytes > buffer.length_bytes;
    return (is_part && WORD_IS_ONE_OF(word_last_part(name), parts)) ||
           (name.text - statement.text >= 4 && memcmp(name.text - 4, "len(", 4) == 0);
}

static bool reads(struct word statement, struct word buffer)
{
    const char *end = word_end(statement);
    for (const char *at = statement.text; at < end;) {
        struct word name = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        if (word_is_part_of(name, buffer) && !is_of_shape(name, buffer, statement))
            return true;
        at = name.length_bytes > 0 ? word_end(name) : at + 1;
    }
    return false;
}

/* A search for what is done with a buffer, from row to row. */
struct search {
    struct changed *changed;
    const struct source *source;
    struct word buffer;
    bool looks_into;                    /* ... functions of the file that it is handed to */
    bool deep;                          /* the row is indented deeper than the first one: in a loop, perhaps */
    bool read, read_deep, changed_deep; /* so far: it was read; read, and stored into, by deep rows */
};

static void hand_to(struct search *search, const struct handed *handed, int32_t number);

static void add_line(struct changed *changed, int32_t number)
{
    for (size_t i = 0; i < changed->count; i++)
        if (changed->lines[i] == number)
            return;
    if (changed->count < CHANGED_MAX)
        changed->lines[changed->count++] = number;
}

static void note_change(struct search *search, int32_t number)
{
    search->changed_deep |= search->deep;
    search->changed->read_before |= search->read || (search->read_deep && search->changed_deep);
    add_line(search->changed, number);
}

static void note_read(struct search *search)
{
    search->read = true;
    search->read_deep |= search->deep;
    search->changed->read_before |= search->read_deep && search->changed_deep;
}

/* False where nothing below says any more of the name. */
static bool read_line(struct search *search, struct word line, int32_t number)
{
    struct word statement;
    while (word_next_statement(&line, &statement)) {
        struct handed handed;
        enum effect effect = effect_of(statement, search->buffer);
        if (effect == EFFECT_CHANGES)
            note_change(search, number);
        else if (handed_find(statement, search->buffer, &handed))
            hand_to(search, &handed, number);
        if (effect == EFFECT_REBINDS)
            return false;
        if (effect == EFFECT_NONE && reads(statement, search->buffer))
            note_read(search);
    }
    return true;
}

/* What lines [first, last] do with the name; those indented as `indent` at most, if that is more than nothing, are another function's. */
static void read_lines(struct search *search, int32_t first, int32_t last, size_t indent)
{
    size_t base = SIZE_MAX; /* the first line's */
    for (int32_t i = first; i <= last; i++) {
        struct word line;
        line.text = source_line(search->source, i, &line.length_bytes);
        size_t own = line.text != NULL ? indent_of(line) : 0;
        bool blank = line.text != NULL && own == line.length_bytes;
        if (line.text == NULL || (!blank && own < indent))
            return;
        base = base == SIZE_MAX && !blank ? own : base;
        search->deep = own > base;
        if (!blank && !read_line(search, line, i) && own <= base)
            return; /* not in a branch */
    }
}

bool changed_by(struct word statement, struct word buffer)
{
    return effect_of(statement, buffer) == EFFECT_CHANGES;
}

/* "def name(": its line in the file; 0: there is none, or more than one. */
static int32_t definition_of(const struct source *source, struct word name)
{
    struct word line;
    int32_t found = 0;
    for (int32_t i = 1; (line.text = source_line(source, i, &line.length_bytes)) != NULL; i++) {
        const char *end = line.text + line.length_bytes, *at = word_skip_blanks(line.text, end);
        if (!word_is(word_name_at(at, end), "def"))
            continue;
        at = word_skip_blanks(at + strlen("def"), end);
        if (!word_equal(word_name_at(at, end), name))
            continue;
        if (found != 0)
            return 0;
        found = i;
    }
    return found;
}

/* The parameter that takes what is handed; empty where none is seen to. A method's first one is the object. */
static struct word parameter_of(struct word line, const struct handed *handed)
{
    const char *end = line.text + line.length_bytes, *open = memchr(line.text, '(', line.length_bytes);
    struct word items[PARAMETERS_MAX], none = {line.text, 0};
    if (handed->keyword.length_bytes > 0)
        return handed->keyword;
    size_t count = open != NULL ? word_split(word_in_bracket(open, end), ',', items, PARAMETERS_MAX) : 0;
    if (count == 0 || count == SIZE_MAX)
        return none;
    size_t place = handed->place + (word_is(items[0], "self") || word_is(items[0], "cls") ? 1 : 0);
    return place < count ? word_name_at(items[place].text, end) : none;
}

/* Where the function's text stands in the file, it says what becomes of the buffer; else that is open. */
static void hand_to(struct search *search, const struct handed *handed, int32_t number)
{
    struct changed within = {.count = 0}, *changed = search->changed;
    struct word line = {0};
    int32_t definition = search->looks_into ? definition_of(search->source, word_last_part(handed->function)) : 0;
    struct search inner = {.changed = &within, .source = search->source};
    if (definition > 0) {
        line.text = source_line(search->source, definition, &line.length_bytes);
        inner.buffer = parameter_of(line, handed);
    }
    if (inner.buffer.length_bytes > 0)
        read_lines(&inner, definition + 1, definition + LINES_MAX, indent_of(line) + 1);
    for (size_t i = 0; i < within.count; i++)
        note_change(search, within.lines[i]);
    changed->read_before |= within.read_before;
    bool is_open = inner.buffer.length_bytes == 0 || within.handed.length_bytes > 0;
    if (is_open && changed->handed.length_bytes == 0) {
        changed->handed = handed->function;
        changed->handed_line = number;
    }
}

/* The last line of the innermost loop around the frame; without one LINES_MAX below it. */
static int32_t last_line(struct model *model, struct process *process, uint32_t node_id, int32_t first)
{
    struct loop_body body;
    return loop_of_frame(model, process, node_id, &body) && body.last < first + LINES_MAX ? body.last
                                                                                          : first + LINES_MAX;
}

static struct word behind(struct word line, size_t column)
{
    size_t skipped = column < line.length_bytes ? column : line.length_bytes;
    return (struct word){line.text + skipped, line.length_bytes - skipped};
}

void changed_find(struct changed *changed, struct model *model, struct process *process, uint32_t node_id)
{
    struct code *code = NULL;
    struct word line;
    struct search search = {.changed = changed, .looks_into = true};
    *changed = (struct changed){.count = 0};
    search.buffer.text = statement_target(model, process, node_id, &search.buffer.length_bytes);
    if (search.buffer.text == NULL)
        return;
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, node_id), &code);
    search.source = source_code(model, code->file);
    changed->file = code->file;
    line.text = source_line(search.source, span.line, &line.length_bytes);
    size_t indent = line.text != NULL && indent_of(line) > 0 ? 1 : 0; /* at most to the end of the function */
    line.text = source_line(search.source, span.end_line, &line.length_bytes);
    if (line.text != NULL && read_line(&search, behind(line, (size_t)span.end_column), span.end_line))
        read_lines(&search, span.end_line + 1, last_line(model, process, node_id, span.line), indent);
}
