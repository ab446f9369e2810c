#include "findings/statement.h"

#include <ctype.h>

#include "findings/words.h"
#include "model/source.h"

static bool is_target(char c)
{
    return word_char(c) || c == '.';
}

/* "    name = " and "    self.name = (": all that stands before the value. `brackets`: those that are open. */
struct target {
    const char *name;
    size_t length, brackets;
};

static bool read_target(const char *text, size_t length, struct target *target)
{
    size_t at = 0;
    while (at < length && (text[at] == ' ' || text[at] == '\t'))
        at++;
    size_t first = at;
    while (at < length && is_target(text[at]))
        at++;
    *target = (struct target){.name = text + first, .length = at - first};
    bool named = at > first && !isdigit((unsigned char)text[first]);
    while (at < length && text[at] == ' ')
        at++;
    if (!named || at == length || text[at] != '=')
        return false;
    for (at++; at < length; at++) {
        if (text[at] != ' ' && text[at] != '(')
            return false;
        target->brackets += text[at] == '(';
    }
    return true;
}

/* Does nothing follow but the closing brackets, a comment and other statements? */
static bool is_end(const char *text, size_t length, size_t brackets)
{
    for (size_t at = 0; at < length && text[at] != '#' && text[at] != ';'; at++) {
        bool closes = text[at] == ')' && brackets > 0;
        if (!closes && !isspace((unsigned char)text[at]))
            return false;
        brackets -= closes;
    }
    return true;
}

const char *statement_target(struct model *model, struct process *process, uint32_t node_id, size_t *length_bytes)
{
    struct code *code;
    struct target target;
    size_t length, last_length;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    if (record == NULL || record->frame != DB_FRAME_PYTHON)
        return NULL;
    struct line_span span = model_position(model, process, record, &code);
    if (code == NULL || span.column < 0 || span.end_column < 0)
        return NULL;
    const struct source *source = source_get(model, code->file);
    const char *first = source_line(source, span.line, &length),
               *last = source_line(source, span.end_line, &last_length);
    if (first == NULL || last == NULL || (size_t)span.column > length || (size_t)span.end_column > last_length)
        return NULL;
    if (!read_target(first, (size_t)span.column, &target) ||
        !is_end(last + span.end_column, last_length - (size_t)span.end_column, target.brackets))
        return NULL;
    *length_bytes = target.length;
    return target.name;
}

bool statement_assigns(struct model *model, struct process *process, uint32_t node_id)
{
    size_t length;
    return statement_target(model, process, node_id, &length) != NULL;
}
