#include "findings/statement.h"

#include <ctype.h>

#include "findings/expression.h"
#include "python/words.h"

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
    struct expression_place place;
    struct target target;
    if (!expression_place(model, process, node_id, &place) ||
        !read_target(place.line, (size_t)(place.start - place.line), &target) ||
        !is_end(place.end, (size_t)(place.line_end - place.end), target.brackets))
        return NULL;
    *length_bytes = target.length;
    return target.name;
}

bool statement_assigns(struct model *model, struct process *process, uint32_t node_id)
{
    size_t length;
    return statement_target(model, process, node_id, &length) != NULL;
}
