#include "python/loop_extreme.h"

#include <string.h>

#include "python/same_value.h"

#define ITEMS_MAX 8u

/* The next one of a body, without comments and blanks around: empty where it has nothing else. */
static bool next_statement(struct word *rest, struct word *text)
{
    struct word statement;
    if (!word_next_statement(rest, &statement))
        return false;
    const char *end = statement.text;
    while (end < word_end(statement) && *end != '#') {
        const char *behind = word_skip_quiet(end, word_end(statement));
        end = behind > end ? behind : end + 1;
    }
    *text = word_trimmed(statement.text, end);
    return true;
}

static size_t mentions(struct word body, struct word name)
{
    struct word text;
    size_t count = 0;
    while (next_statement(&body, &text))
        count += word_mentions(text, name);
    return count;
}

static size_t indent_of(struct word body, const char *at)
{
    const char *row = at;
    while (row > body.text && row[-1] != '\n')
        row--;
    return (size_t)(word_skip_blanks(row, at) - row);
}

static bool is_on_row_of(const char *first, const char *second)
{
    return memchr(first, '\n', (size_t)(second - first)) == NULL;
}

/* The one "<" or ">" of a text that stands within no bracket; NULL where there is none, or something compares or joins beside it. */
static const char *find_sign(struct word text)
{
    static const char *const joining[] = {"and", "or", "not", "if", "else", "in", "is", "lambda"};
    const char *sign = NULL;
    size_t depth = 0;
    for (const char *at = text.text; at < word_end(text); at++) {
        const char *behind = word_skip_quiet(at, word_end(text));
        struct word name = word_name_at(at, word_end(text));
        if (behind > at || name.length_bytes > 0) {
            if (WORD_IS_ONE_OF(name, joining))
                return NULL;
            at = (behind > at ? behind : word_end(name)) - 1;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
        if (depth > 0 || strchr("<>=!,", *at) == NULL)
            continue;
        bool is_sign = sign == NULL && (*at == '<' || *at == '>');
        bool is_longer = sign != NULL && at == sign + 1 && *at == '=';
        if (!is_sign && !is_longer)
            return NULL;
        sign = is_sign ? at : sign;
    }
    return sign;
}

/* "(x[i] > best)" */
static struct word without_brackets(struct word text)
{
    if (text.length_bytes == 0 || *text.text != '(')
        return text;
    struct word inner = word_in_bracket(text.text, word_end(text));
    return word_end(inner) + 1 == word_end(text) ? word_trimmed(inner.text, word_end(inner)) : text;
}

/* "x[i] > best" behind "if": the two sides. */
static bool read_comparison(struct word statement, struct word *left, struct word *right)
{
    struct word first = word_name_at(statement.text, word_end(statement));
    if (!word_is(first, "if"))
        return false;
    struct word text = without_brackets(word_trimmed(word_end(first), word_end(statement)));
    const char *sign = find_sign(text);
    if (sign == NULL)
        return false;
    *left = word_trimmed(text.text, sign);
    *right = word_trimmed(sign + (sign[1] == '=' ? 2 : 1), word_end(text));
    return left->length_bytes > 0 && right->length_bytes > 0;
}

static bool is_name(struct word text)
{
    return text.length_bytes > 0 && word_equal(word_name_at(text.text, word_end(text)), text) &&
           word_last_part(text).text == text.text;
}

/* "best, at = value, i": plain names alone are given something, which is made neither of `name` nor of themselves. */
static bool keeps(struct word statement, struct word name)
{
    struct word target, value, targets[ITEMS_MAX];
    if (!word_assigned(statement, &target, &value) || word_mentions(value, name) > 0)
        return false;
    size_t count = word_split(target, ',', targets, ITEMS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        struct word given = word_trimmed(targets[i].text, word_end(targets[i]));
        if (!is_name(given) || word_mentions(value, given) > 0)
            return false;
    }
    return count != SIZE_MAX;
}

/* Does the suite of the "if" give `name` the value that it was compared with, and keep what goes with it? */
static bool is_kept_in_suite(struct word body, struct word header, struct word name, struct word value)
{
    struct word rest = {word_end(header), (size_t)(word_end(body) - word_end(header))}, text;
    size_t indent = indent_of(body, header.text);
    bool given = false;
    while (next_statement(&rest, &text)) {
        if (text.length_bytes == 0)
            continue;
        if (!is_on_row_of(header.text, text.text) && indent_of(body, text.text) <= indent)
            break;
        if (!keeps(text, name))
            return false;
        given = given || values_give(text, name, value);
    }
    return given;
}

/* "best = max(best, value)" */
static bool is_kept_by_call(struct word statement, struct word name)
{
    struct word target, value, function, arguments, items[ITEMS_MAX];
    if (!word_assigned(statement, &target, &value) || !word_equal(target, name) ||
        !word_call(value, &function, &arguments) || (!word_is(function, "max") && !word_is(function, "min")))
        return false;
    size_t count = word_split(arguments, ',', items, ITEMS_MAX);
    return count == 2 && word_mentions(arguments, name) == 1 &&
           (word_equal(word_trimmed(items[0].text, word_end(items[0])), name) ||
            word_equal(word_trimmed(items[1].text, word_end(items[1])), name));
}

/* A statement's own mentions are one where it compares the name, and one where it gives it. */
static void add(struct words *extremes, struct word body, struct word name)
{
    if (is_name(name) && mentions(body, name) == 2)
        words_add(extremes, name);
}

void loop_extremes_read(struct word body, struct words *extremes)
{
    struct word rest = body, text, left, right, target, value;
    extremes->count = 0;
    while (next_statement(&rest, &text)) {
        if (read_comparison(text, &left, &right)) {
            if (is_name(right) && is_kept_in_suite(body, text, right, left))
                add(extremes, body, right);
            else if (is_name(left) && is_kept_in_suite(body, text, left, right))
                add(extremes, body, left);
        } else if (word_assigned(text, &target, &value) && is_kept_by_call(text, target)) {
            add(extremes, body, target);
        }
    }
}
