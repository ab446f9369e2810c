#include "python/words.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

bool word_is_number(struct word word)
{
    bool has_digit = false;
    for (const char *at = word.text; at < word_end(word); at++) {
        if (!isdigit((unsigned char)*at) && strchr(".-+e_", *at) == NULL)
            return false;
        has_digit = has_digit || isdigit((unsigned char)*at);
    }
    return has_digit && *word.text != 'e' && *word.text != '_';
}

bool word_equal(struct word a, struct word b)
{
    return a.length_bytes == b.length_bytes && (a.length_bytes == 0 || memcmp(a.text, b.text, a.length_bytes) == 0);
}

/* Most differ in their first letter already: words are looked for in such lists millions of times. */
bool word_is_one_of(struct word word, const char *const *texts, size_t count)
{
    const char first = word.length_bytes > 0 ? *word.text : '\0';
    for (size_t i = 0; i < count; i++)
        if (*texts[i] == first && word_is(word, texts[i]))
            return true;
    return false;
}

bool word_is_keyword(struct word word)
{
    static const char *const keywords[] = {"if",    "elif",   "else",  "for",  "while",    "in",    "not",
                                           "and",   "or",     "is",    "None", "True",     "False", "return",
                                           "yield", "with",   "as",    "pass", "break",    "del",   "lambda",
                                           "try",   "except", "raise", "from", "continue", "assert"};
    return WORD_IS_ONE_OF(word, keywords);
}

bool word_is_part_of(struct word name, struct word word)
{
    struct word begin = {.text = name.text, .length_bytes = word.length_bytes};
    return name.length_bytes >= word.length_bytes && word_equal(begin, word) &&
           (name.length_bytes == word.length_bytes || name.text[word.length_bytes] == '.');
}

bool words_hold(const struct words *words, struct word word)
{
    for (size_t i = 0; i < words->count; i++)
        if (word_is_part_of(word, words->words[i]))
            return true;
    return false;
}

bool words_have(const struct words *words, struct word word)
{
    for (size_t i = 0; i < words->count; i++)
        if (word_equal(words->words[i], word))
            return true;
    return false;
}

void words_add(struct words *words, struct word word)
{
    if (words->count < WORDS_MAX && !words_hold(words, word))
        words->words[words->count++] = word;
}

/* What a scan heeds: all but what stands within names and numbers, and between them. */
static bool is_heeded(char c)
{
    static const bool heeded[UCHAR_MAX + 1] = {
        ['#'] = true, ['"'] = true, ['\''] = true, ['('] = true, ['['] = true, ['{'] = true, [')'] = true,
        [']'] = true, ['}'] = true, ['='] = true,  [':'] = true, [';'] = true, ['\n'] = true};
    return heeded[(unsigned char)c];
}

const char *word_skip_quiet(const char *at, const char *end)
{
    if (*at == '#') {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        return stop != NULL ? stop : end;
    }
    if (*at != '"' && *at != '\'')
        return at;
    char quote = *at;
    size_t quotes = end - at >= 3 && at[1] == quote && at[2] == quote ? 3 : 1;
    for (const char *p = at + quotes; p + quotes <= end; p++) {
        if (*p == '\\')
            p++;
        else if (*p == quote && (quotes == 1 || (p[1] == quote && p[2] == quote)))
            return p + quotes;
    }
    return end;
}

struct word word_in_bracket(const char *at, const char *end)
{
    size_t depth = 0;
    const char *first = at + 1;
    for (; at < end; at++) {
        if (!is_heeded(*at))
            continue;
        const char *behind = word_skip_quiet(at, end);
        if (behind > at) {
            at = behind - 1;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        if (depth == 0)
            return (struct word){first, (size_t)(at - first)};
    }
    return (struct word){first, (size_t)(end - first)};
}

struct word word_trimmed(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    return (struct word){from, to > from ? (size_t)(to - from) : 0};
}

size_t word_split(struct word text, char separator, struct word *items, size_t most)
{
    size_t count = 0, depth = 0;
    const char *first = text.text, *end = text.text + text.length_bytes;
    if (word_trimmed(first, end).length_bytes == 0)
        return 0;
    for (const char *at = text.text; at <= end; at++) {
        bool ends = at == end || (*at == separator && depth == 0);
        if (ends && count == most)
            return SIZE_MAX;
        if (ends) {
            items[count++] = word_trimmed(first, at);
            first = at + 1;
        } else {
            depth += *at == '(' || *at == '[' || *at == '{';
            depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
        }
    }
    return count;
}

struct word word_name_at(const char *at, const char *end)
{
    const char *p = at;
    while (p < end && (word_char(*p) || (*p == '.' && p + 1 < end && (isalpha((unsigned char)p[1]) || p[1] == '_'))))
        p++;
    return (struct word){at, (size_t)(p - at)};
}

const char *word_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

struct word word_last_part(struct word name)
{
    size_t at = name.length_bytes;
    while (at > 0 && name.text[at - 1] != '.')
        at--;
    return (struct word){name.text + at, name.length_bytes - at};
}

struct word word_first_part(struct word dotted)
{
    const char *dot = memchr(dotted.text, '.', dotted.length_bytes);
    return (struct word){dotted.text, dot != NULL ? (size_t)(dot - dotted.text) : dotted.length_bytes};
}

const char *word_assignment(struct word text, size_t *length)
{
    const char *end = text.text + text.length_bytes;
    size_t depth = 0;
    for (const char *at = text.text; at < end; at++) {
        const char *behind = word_skip_quiet(at, end);
        if (behind > at) {
            at = behind - 1;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
        if (*at != '=' || depth > 0)
            continue;
        if (at + 1 < end && at[1] == '=') {
            at++;
            continue;
        }
        const char *first = at;
        while (first > text.text && strchr("+-*/%&|^@<>!:", first[-1]) != NULL)
            first--;
        bool compares = first + 1 == at && (*first == '<' || *first == '>' || *first == '!');
        if (compares || *first == ':') /* "if n := len(x)": within an expression */
            continue;
        *length = (size_t)(at + 1 - first);
        return first;
    }
    return NULL;
}

const char *word_find(struct word text, const char *at, struct word name)
{
    for (; at < word_end(text); at++) {
        at = memmem(at, (size_t)(word_end(text) - at), name.text, name.length_bytes);
        if (at == NULL)
            return NULL;
        bool begins = at == text.text || !word_char(at[-1]), ends = at + name.length_bytes == word_end(text);
        if (begins && (ends || !word_char(at[name.length_bytes])))
            return at;
    }
    return NULL;
}

const char *word_next_mention(struct word text, const char *at, struct word name)
{
    for (; (at = word_find(text, at, name)) != NULL; at++)
        if (at == text.text || at[-1] != '.')
            return at;
    return NULL;
}

size_t word_mentions(struct word text, struct word name)
{
    size_t count = 0;
    for (const char *at = text.text; (at = word_next_mention(text, at, name)) != NULL; at++)
        count++;
    return count;
}

struct word word_without_async(struct word statement)
{
    struct word first = word_name_at(statement.text, word_end(statement));
    return word_is(first, "async") ? word_trimmed(word_end(first), word_end(statement)) : statement;
}

bool word_assigned(struct word statement, struct word *target, struct word *value)
{
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    if (sign == NULL || length != 1)
        return false;
    *target = word_trimmed(statement.text, sign);
    *value = word_trimmed(sign + 1, word_end(statement));
    return word_assignment(*value, &length) == NULL;
}

bool word_gives(struct word statement, struct word name)
{
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    const char *in = memmem(statement.text, statement.length_bytes, " in ", 4);
    bool is_loop = statement.length_bytes > 4 && memcmp(statement.text, "for ", 4) == 0 && in != NULL;
    struct word targets = {statement.text, (size_t)((is_loop        ? in
                                                     : sign != NULL ? sign
                                                                    : statement.text) -
                                                    statement.text)};
    const char *bracket = memchr(targets.text, '[', targets.length_bytes);
    if (bracket != NULL)
        targets.length_bytes = (size_t)(bracket - targets.text);
    return word_mentions(targets, name) > 0;
}

bool word_call(struct word text, struct word *function, struct word *arguments)
{
    *function = word_name_at(text.text, word_end(text));
    const char *open = word_end(*function);
    if (function->length_bytes == 0 || open == word_end(text) || *open != '(')
        return false;
    *arguments = word_in_bracket(open, word_end(text));
    return word_end(*arguments) + 1 == word_end(text);
}

bool word_callee(struct word text, struct word *callee, struct word *arguments)
{
    const char *at = text.text, *end = word_end(text);
    while (at < end) {
        at += at > text.text && *at == '.';
        at = word_end(word_name_at(at, end));
        if (at == end || (*at != '(' && *at != '['))
            return false;
        *arguments = word_in_bracket(at, end);
        if (word_end(*arguments) + 1 == end) {
            *callee = (struct word){text.text, (size_t)(at - text.text)};
            return *at == '(' && callee->length_bytes > 0;
        }
        at = word_end(*arguments) < end ? word_end(*arguments) + 1 : end;
    }
    return false;
}

bool word_last_call(struct word text, struct word *function, struct word *arguments)
{
    struct word callee;
    if (!word_callee(text, &callee, arguments))
        return false;
    const char *end = word_end(callee), *at = end;
    while (at > callee.text && (word_char(at[-1]) || at[-1] == '.'))
        at--;
    at += at > callee.text && at < end && *at == '.'; /* behind a bracket */
    *function = (struct word){at, (size_t)(end - at)};
    return function->length_bytes > 0;
}

bool word_next_statement(struct word *rest, struct word *statement)
{
    const char *end = rest->text + rest->length_bytes, *at = rest->text;
    size_t depth = 0;
    if (rest->length_bytes == 0)
        return false;
    for (; at < end; at++) {
        if (!is_heeded(*at))
            continue;
        if (!is_heeded(*at))
            continue;
        const char *behind = word_skip_quiet(at, end);
        if (behind > at) {
            at = behind - 1;
            continue;
        }
        bool is_walrus = *at == ':' && at + 1 < end && at[1] == '=';
        if (depth == 0 && !is_walrus && (*at == '\n' || *at == ';' || *at == ':'))
            break;
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
    }
    *statement = (struct word){rest->text, (size_t)(at - rest->text)};
    *rest = at < end ? (struct word){at + 1, (size_t)(end - at - 1)} : (struct word){end, 0};
    return true;
}
