#include "findings/changed.h"

#include <ctype.h>
#include <string.h>

#include "findings/expression.h"
#include "findings/loop.h"
#include "findings/statement.h"
#include "findings/words.h"
#include "model/source.h"

#define LINES_MAX 500 /* so far below is looked: each line is searched for from the file's beginning */

static bool is_one_of(struct word word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (word_is(word, names[i]))
            return true;
    return false;
}

/* "h.sort", "h.mul_": a method that changes what it belongs to, of NumPy or by PyTorch's rule for their names. */
static bool is_changing_method(struct word name)
{
    static const char *const methods[] = {"sort", "fill", "partition", "put", "itemset", "setfield"};
    struct word last = word_last_part(name);
    bool underscore = last.length_bytes > 1 && last.text[last.length_bytes - 1] == '_' && last.text[0] != '_';
    return last.text != name.text && (underscore || is_one_of(last, methods, sizeof(methods) / sizeof(methods[0])));
}

/* "np.copyto(h, ...)", which changes its first argument. */
static bool changes_first(struct word name, const char *bracket, const char *end, struct word buffer)
{
    static const char *const functions[] = {"copyto", "at", "put", "place", "putmask", "fill_diagonal", "shuffle"};
    const char *first = word_skip_blanks(bracket + 1, end);
    return is_one_of(word_last_part(name), functions, sizeof(functions) / sizeof(functions[0])) && first < end &&
           word_equal(word_name_at(first, end), buffer);
}

/* Does a call in the text store into the buffer? */
static bool calls_change(struct word text, struct word buffer)
{
    const char *end = text.text + text.length_bytes;
    for (const char *at = text.text; at < end;) {
        struct word name = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        const char *behind = word_skip_blanks(name.text + name.length_bytes, end);
        bool called = name.length_bytes > 0 && behind < end && *behind == '(';
        bool is_out = word_equal(name, buffer) && at - text.text > 4 && memcmp(at - 4, "out=", 4) == 0;
        if (is_out || (called && word_is_part_of(name, buffer) && is_changing_method(name)) ||
            (called && changes_first(name, behind, end, buffer)))
            return true;
        at = name.length_bytes > 0 ? name.text + name.length_bytes : at + 1;
    }
    return false;
}

enum effect { EFFECT_NONE, EFFECT_CHANGES, EFFECT_REBINDS };

static enum effect effect_of(struct word statement, struct word buffer)
{
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    const char *end = statement.text + statement.length_bytes, *at = word_skip_blanks(statement.text, end);
    struct word name = at < end ? word_name_at(at, end) : (struct word){at, 0};
    if (calls_change(statement, buffer))
        return EFFECT_CHANGES;
    if (sign == NULL || !word_is_part_of(name, buffer))
        return EFFECT_NONE;
    at = word_skip_blanks(name.text + name.length_bytes, sign);
    if (at < sign)
        return *at == '[' ? EFFECT_CHANGES : EFFECT_NONE;
    if (!word_equal(name, buffer))
        return EFFECT_NONE;
    return length > 1 ? EFFECT_CHANGES : EFFECT_REBINDS;
}

static size_t indent_of(struct word line)
{
    return (size_t)(word_skip_blanks(line.text, line.text + line.length_bytes) - line.text);
}

/* False where nothing below says any more of the name. */
static bool read_line(struct changed *changed, struct word line, int32_t number, struct word buffer)
{
    struct word statement;
    while (word_next_statement(&line, &statement)) {
        enum effect effect = effect_of(statement, buffer);
        if (effect == EFFECT_REBINDS)
            return false;
        bool told = changed->count > 0 && changed->lines[changed->count - 1] == number;
        if (effect == EFFECT_CHANGES && !told && changed->count < CHANGED_MAX)
            changed->lines[changed->count++] = number;
    }
    return true;
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
    struct word buffer, line;
    *changed = (struct changed){.count = 0};
    buffer.text = statement_target(model, process, node_id, &buffer.length_bytes);
    if (buffer.text == NULL)
        return;
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, node_id), &code);
    const struct source *source = source_code(model, code->file);
    changed->file = code->file;
    line.text = source_line(source, span.line, &line.length_bytes);
    size_t indent = line.text != NULL ? indent_of(line) : 0;
    int32_t last = last_line(model, process, node_id, span.line);
    for (int32_t i = span.end_line; i <= last; i++) {
        line.text = source_line(source, i, &line.length_bytes);
        size_t own = line.text != NULL ? indent_of(line) : 0;
        bool blank = line.text != NULL && own == line.length_bytes;
        if (line.text == NULL || (!blank && own == 0 && indent > 0 && i > span.end_line))
            return;
        if (i == span.end_line)
            line = behind(line, (size_t)span.end_column);
        if (!blank && !read_line(changed, line, i, buffer))
            return;
    }
}

static char last_before(const char *from, const char *to)
{
    while (to > from && (isspace((unsigned char)to[-1]) || to[-1] == '('))
        to--;
    return to > from ? to[-1] : '\0';
}

static char first_after(const char *from, const char *to)
{
    while (from < to && (isspace((unsigned char)*from) || *from == ')'))
        from++;
    return from < to ? *from : '\0';
}

static bool is_arithmetic(char c)
{
    return c != '\0' && strchr("+-*/@%&|^<>", c) != NULL;
}

/* NumPy computes "a @ b * 2 + c" in the memory of its first step, where nothing else holds that. Without columns: is there any? */
static bool is_step_of_arithmetic(struct model *model, struct process *process, uint32_t node_id)
{
    struct expression_place place;
    if (expression_place(model, process, node_id, &place))
        return is_arithmetic(last_before(place.line, place.start)) ||
               is_arithmetic(first_after(place.end, place.line_end));
    struct code *code = NULL;
    struct word line;
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, node_id), &code);
    line.text = source_line(source_code(model, code->file), span.line, &line.length_bytes);
    for (size_t i = 0; line.text != NULL && i < line.length_bytes; i++)
        if (is_arithmetic(line.text[i]))
            return true;
    return false;
}

/* The Python frame so many above the innermost, and of how many the wanted one is the last; 0: there is none. */
static uint32_t frame_above(const struct process *process, uint32_t node_id, size_t above)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    while (record != NULL && (record->frame != DB_FRAME_PYTHON || above > 0)) {
        above -= record->frame == DB_FRAME_PYTHON ? 1 : 0;
        node_id = record->parent;
        record = run_record(process->run, DB_KIND_NODE, node_id);
    }
    return record != NULL ? node_id : 0;
}

bool changed_later(struct model *model, const struct site *site)
{
    uint32_t line = lines_frame_of_leaf(model, site->process, site->record->node), frame = 0;
    bool reached = false;
    for (size_t above = 0; above < site->record->changed_beyond; above++) {
        frame = frame_above(site->process, site->record->node, above);
        reached |= frame != 0 && frame == line;
    }
    return reached && !is_step_of_arithmetic(model, site->process, frame);
}
