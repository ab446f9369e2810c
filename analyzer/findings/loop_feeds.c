#include "findings/loop_feeds.h"

#include <string.h>

#include "findings/expression.h"
#include "model/source.h"
#include "model/source_code.h"
#include "python/code_index.h"
#include "python/words.h"

#define ROWS_MAX 500 /* of a loop that is looked through */

static bool mentions_any(struct word text, const struct words *fed)
{
    for (size_t i = 0; i < fed->count; i++)
        if (word_mentions(text, fed->words[i]) > 0)
            return true;
    return false;
}

/* "a, (b, c[0])": each name of them. */
static void add_names(struct words *fed, struct word targets)
{
    for (const char *at = targets.text; at < word_end(targets);) {
        struct word name = word_char(*at) ? word_name_at(at, word_end(targets)) : (struct word){at, 0};
        if (name.length_bytes > 0)
            words_add(fed, name);
        at = name.length_bytes > 0 ? word_end(name) : at + 1;
    }
}

/* Of "for T in V" what stands on both sides. */
static bool read_header(struct word statement, struct word *targets, struct word *value)
{
    struct word text = word_trimmed(statement.text, word_end(statement));
    const char *in = memmem(text.text, text.length_bytes, " in ", 4);
    if (text.length_bytes < 4 || memcmp(text.text, "for ", 4) != 0 || in == NULL)
        return false;
    *targets = word_trimmed(text.text + 4, in);
    *value = word_trimmed(in + 4, word_end(text));
    return true;
}

static void read_statement(struct words *fed, struct word statement)
{
    struct word targets, value;
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    if (!read_header(statement, &targets, &value)) {
        if (sign == NULL)
            return;
        targets = word_trimmed(statement.text, sign);
        value = word_trimmed(sign + length, word_end(statement));
    }
    if (mentions_any(value, fed))
        add_names(fed, targets);
}

bool loop_feeds(struct model *model, struct process *process, uint32_t node_id, struct loop loop)
{
    struct code *code = NULL;
    struct word row, statement, targets, value, expression;
    struct words fed = {.count = 0};
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, node_id), &code);
    expression.text = operation_text(model, process, node_id, &expression.length_bytes);
    if (expression.text == NULL || code == NULL || code->file != loop.file || loop.line >= span.line)
        return false;
    const struct source *source = source_code(model, code->file);
    row.text = source_line(source, loop.line, &row.length_bytes);
    if (row.text == NULL || !word_next_statement(&row, &statement) || !read_header(statement, &targets, &value))
        return false;
    add_names(&fed, targets);
    for (int32_t i = loop.line + 1; i < span.line; i++) {
        row.text = source_line(source, i, &row.length_bytes);
        while (row.text != NULL && word_next_statement(&row, &statement))
            read_statement(&fed, statement);
    }
    return mentions_any(expression, &fed);
}

/* "pace += 0.1", "x[i] = A[i] @ x[i]", "self.w = self.w - step": the name; empty for another statement. */
static struct word augmented_by(struct word statement)
{
    struct word text = word_trimmed(statement.text, word_end(statement)), none = {text.text, 0};
    size_t length = 0;
    const char *sign = word_assignment(text, &length);
    if (sign == NULL)
        return none;
    struct word target = word_trimmed(text.text, sign), name = word_name_at(target.text, word_end(target));
    bool is_name = word_equal(name, target), is_part = !is_name || word_last_part(name).text != name.text;
    if (length > 1)
        return is_name ? name : none;
    const char *value = sign + length;
    return is_part && target.length_bytes > 0 &&
                   memmem(value, (size_t)(word_end(text) - value), target.text, target.length_bytes) != NULL
               ? name
               : none;
}

bool loop_augments(struct model *model, struct process *process, uint32_t node_id)
{
    struct loop_body body;
    struct word expression, row, statement;
    expression.text = operation_text(model, process, node_id, &expression.length_bytes);
    if (expression.text == NULL || !loop_of_frame(model, process, node_id, &body) || body.last > body.first + ROWS_MAX)
        return false;
    const struct source *source = source_code(model, body.code->file);
    for (int32_t i = body.first; i <= body.last; i++) {
        row.text = source_line(source, i, &row.length_bytes);
        while (row.text != NULL && word_next_statement(&row, &statement)) {
            struct word name = augmented_by(statement);
            if (name.length_bytes > 0 && word_mentions(expression, name) > 0)
                return true;
        }
    }
    return false;
}

static bool joins(struct word row)
{
    static const char *const names[] = {"vstack", "hstack", "concatenate", "concat",       "cat", "append",
                                        "extend", "stack",  "insert",      "column_stack", "r_",  "pad"};
    for (const char *at = row.text; at < word_end(row);) {
        struct word name = word_char(*at) ? word_name_at(at, word_end(row)) : (struct word){at, 0};
        if (name.length_bytes > 0 && WORD_IS_ONE_OF(word_last_part(name), names))
            return true;
        at = name.length_bytes > 0 ? word_end(name) : at + 1;
    }
    return false;
}

bool loop_joins(struct model *model, struct loop loop)
{
    const struct source *source = loop.file != NULL ? source_code(model, loop.file) : NULL;
    struct word row;
    if (source == NULL)
        return false;
    int32_t last = code_index_last(source, loop.line);
    for (int32_t i = loop.line; i <= last && i < loop.line + ROWS_MAX; i++) {
        row.text = source_line(source, i, &row.length_bytes);
        if (row.text != NULL && joins(row))
            return true;
    }
    return false;
}
