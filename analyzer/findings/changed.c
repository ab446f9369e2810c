#include "findings/changed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/loop.h"
#include "findings/statement.h"
#include "model/source.h"
#include "python/handed.h"
#include "python/stores.h"
#include "python/view_name.h"
#include "python/words.h"

#define PARAMETERS_MAX 32u
#define MEMO_MAX 8192u
#define LINES_MAX 500 /* so far below is looked: each line is searched for from the file's beginning */

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
    struct words views;                 /* names that were given to it, or to parts of it... */
    int32_t view_rows[WORDS_MAX];       /* ... and from which row on */
};

static void hand_to(struct search *search, const struct handed *handed, int32_t number);

static void add_number(int32_t *numbers, size_t *count, int32_t number)
{
    for (size_t i = 0; i < *count; i++)
        if (numbers[i] == number)
            return;
    if (*count < CHANGED_MAX)
        numbers[(*count)++] = number;
}

static void add_line(struct changed *changed, int32_t number)
{
    add_number(changed->lines, &changed->count, number);
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

static void note_view(struct search *search, struct word statement, int32_t number)
{
    struct word view = view_name(statement, search->buffer);
    size_t before = search->views.count, length = 0;
    if (view.length_bytes > 0)
        words_add(&search->views, view);
    if (search->views.count > before)
        search->view_rows[before] = number + (word_assignment(statement, &length) != NULL);
}

/* False where nothing below says any more of the name. */
static bool read_line(struct search *search, struct word line, int32_t number)
{
    struct word statement;
    while (word_next_statement(&line, &statement)) {
        struct handed handed;
        note_view(search, statement, number);
        enum store_effect effect = stores_effect(statement, search->buffer);
        if (effect == STORE_CHANGES && stores_column(statement, search->buffer))
            add_number(search->changed->columns, &search->changed->column_count, number);
        else if (effect == STORE_CHANGES)
            note_change(search, number);
        else if (handed_find(statement, search->buffer, &handed))
            hand_to(search, &handed, number);
        if (effect == STORE_REBINDS)
            return false;
        if (effect == STORE_NONE && reads(statement, search->buffer))
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

/* What they do by the other names. */
static void read_views(struct search *search, int32_t last, size_t indent)
{
    for (size_t i = 0; i < search->views.count; i++) {
        struct changed within = {.count = 0};
        struct search inner = {.changed = &within, .source = search->source, .buffer = search->views.words[i]};
        read_lines(&inner, search->view_rows[i], last, indent);
        for (size_t k = 0; k < within.count; k++)
            add_line(search->changed, within.lines[k]);
    }
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
    if (inner.buffer.length_bytes > 0) {
        read_lines(&inner, definition + 1, definition + LINES_MAX, indent_of(line) + 1);
        read_views(&inner, definition + LINES_MAX, indent_of(line) + 1);
    }
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

static void find(struct changed *changed, struct model *model, struct process *process, uint32_t node_id)
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
    if (line.text == NULL || !read_line(&search, behind(line, (size_t)span.end_column), span.end_line))
        return;
    int32_t last = last_line(model, process, node_id, span.line);
    read_lines(&search, span.end_line + 1, last, indent);
    read_views(&search, last, indent);
    changed->has_views = search.views.count > 0;
}

/* What was found, until another place's takes its room: one rule after the other asks for the same ones. */
struct changed_memo {
    const struct process *process;
    uint32_t node_id;
    struct changed changed;
};

void changed_find(struct changed *changed, struct model *model, struct process *process, uint32_t node_id)
{
    if (model->changed == NULL)
        model->changed = memory_zeroed(MEMO_MAX, sizeof(*model->changed));
    struct changed_memo *memo = &model->changed[node_id % MEMO_MAX];
    if (memo->process != process || memo->node_id != node_id) {
        find(&memo->changed, model, process, node_id);
        memo->process = process;
        memo->node_id = node_id;
    }
    *changed = memo->changed;
}

void changed_free(struct model *model)
{
    free(model->changed);
    model->changed = NULL;
}
