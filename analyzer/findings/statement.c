#include "findings/statement.h"

#include <ctype.h>
#include <string.h>

#include "findings/expression.h"

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

/* "total += part", where what is there is no array: the sum is a new one. */
static bool read_augmented(const struct expression_place *place, struct target *target)
{
    size_t length = 0;
    struct word whole = {place->start, (size_t)(place->end - place->start)};
    const char *sign = word_assignment(whole, &length);
    struct word name = sign != NULL && length > 1 ? word_trimmed(whole.text, sign) : (struct word){whole.text, 0};
    *target = (struct target){.name = name.text, .length = name.length_bytes};
    return name.length_bytes > 0 && word_equal(word_name_at(name.text, sign), name);
}

/* Where the statement begins, of several on its row. */
static const char *begin_of(const struct expression_place *place)
{
    const char *begin = place->start;
    while (begin > place->line && begin[-1] != ';')
        begin--;
    return begin;
}

const char *statement_target(struct model *model, struct process *process, uint32_t node_id, size_t *length_bytes)
{
    struct expression_place place;
    struct target target;
    if (!expression_place(model, process, node_id, &place))
        return NULL;
    const char *begin = begin_of(&place);
    if ((!read_target(begin, (size_t)(place.start - begin), &target) && !read_augmented(&place, &target)) ||
        !is_end(place.end, (size_t)(place.line_end - place.end), target.brackets))
        return NULL;
    *length_bytes = target.length;
    return target.name;
}

/* What stands before the value and behind it, of an item that is given: nothing, or the rest of a condition. */
static bool is_given(struct word item, struct word value)
{
    struct word before = word_trimmed(item.text, value.text), behind = word_trimmed(word_end(value), word_end(item));
    bool chosen =
        before.length_bytes > 4 && memcmp(word_end(before) - 4, "else", 4) == 0 && !word_char(word_end(before)[-5]);
    bool chooses = word_is(word_name_at(behind.text, word_end(behind)), "if");
    return (before.length_bytes == 0 || chosen) && (behind.length_bytes == 0 || chooses);
}

/* The text up to a comment. */
static struct word without_comment(struct word text)
{
    const char *at = text.text;
    while (at < word_end(text) && *at != '#') {
        const char *behind = word_skip_quiet(at, word_end(text));
        at = behind > at ? behind : at + 1;
    }
    return word_trimmed(text.text, at);
}

/* Of one statement that holds the value. */
static struct word target_of(struct word statement, struct word value)
{
    struct word targets[WORDS_MAX], items[WORDS_MAX], none = {statement.text, 0};
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    if (sign == NULL || length != 1 || sign >= value.text)
        return none;
    size_t target_count = word_split(word_trimmed(statement.text, sign), ',', targets, WORDS_MAX);
    size_t count = word_split(word_trimmed(sign + 1, word_end(statement)), ',', items, WORDS_MAX);
    for (size_t i = 0; count == target_count && i < count && count <= WORDS_MAX; i++)
        if (items[i].text <= value.text && word_end(value) <= word_end(items[i]))
            return is_given(items[i], value) ? targets[i] : none;
    return none;
}

struct word statement_item(struct model *model, struct process *process, uint32_t node_id)
{
    struct expression_place place;
    struct word statement;
    if (!expression_place(model, process, node_id, &place))
        return (struct word){0};
    struct word rest = {place.line, (size_t)(place.line_end - place.line)};
    struct word value = {place.start, (size_t)(place.end - place.start)};
    while (word_next_statement(&rest, &statement))
        if (statement.text <= value.text && word_end(value) <= word_end(statement))
            return target_of(without_comment(statement), value);
    return (struct word){0};
}

bool statement_assigns(struct model *model, struct process *process, uint32_t node_id)
{
    size_t length;
    return statement_target(model, process, node_id, &length) != NULL;
}

/* From what gives it names on: does it stand between signs that neither call nor compute? */
static bool is_item(const char *begin, const struct expression_place *place)
{
    const char *before = place->start, *behind = word_skip_blanks(place->end, place->line_end);
    for (const char *at = begin; at < place->start; at++)
        if (at > begin && (*at == '(' || *at == '[') && (word_char(at[-1]) || at[-1] == ')' || at[-1] == ']'))
            return false;
    while (before > begin && before[-1] == ' ')
        before--;
    return (before == begin || strchr("=,([{:", before[-1]) != NULL) &&
           (behind == place->line_end || strchr(",)]};#\r\n", *behind) != NULL);
}

bool statement_gives_otherwise(struct model *model, struct process *process, uint32_t node_id)
{
    struct expression_place place;
    size_t length = 0;
    if (!expression_place(model, process, node_id, &place) ||
        statement_target(model, process, node_id, &length) != NULL)
        return false;
    const char *begin = word_skip_blanks(begin_of(&place), place.start);
    struct word first = word_name_at(begin, place.start), before = {begin, (size_t)(place.start - begin)};
    if (word_is(first, "return"))
        return is_item(word_end(first), &place);
    const char *sign = word_assignment(before, &length);
    struct word target = sign != NULL ? word_trimmed(begin, sign) : (struct word){begin, 0};
    bool copies = target.length_bytes > 0 && word_end(target)[-1] == ']'; /* into what is there */
    return sign != NULL && length == 1 && !copies && is_item(sign + 1, &place);
}
