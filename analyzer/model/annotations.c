#include "model/annotations.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t skip_spaces(const char *text, size_t length, size_t at)
{
    while (at < length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\f'))
        at++;
    return at;
}

static size_t skip_word(const char *text, size_t length, size_t at)
{
    while (at < length && is_word(text[at]))
        at++;
    return at;
}

static bool word_at(const char *text, size_t begin, size_t end, const char *word)
{
    return end - begin == strlen(word) && memcmp(text + begin, word, end - begin) == 0;
}

static bool is_among(char c, const char *signs)
{
    return c != '\0' && strchr(signs, c) != NULL;
}

/* The first of the signs outside brackets, or the bracket that closes more than was opened; `length`: there is none. */
static size_t find_outside(const char *text, size_t length, size_t at, const char *signs)
{
    size_t depth = 0;
    for (; at < length; at++) {
        if (depth == 0 && (is_among(text[at], signs) || is_among(text[at], ")]}")))
            return at;
        depth += is_among(text[at], "([{");
        depth -= depth > 0 && is_among(text[at], ")]}");
    }
    return length;
}

/* Behind the closing bracket. A lambda's ":" stands in a default, behind the "=". */
static size_t blank_parameters(char *text, size_t length, size_t at)
{
    while (at < length && text[at] != ')') {
        size_t colon = find_outside(text, length, at, ":=,");
        size_t end = colon;
        if (colon < length && text[colon] == ':') {
            end = find_outside(text, length, colon + 1, "=,");
            text_blank(text, colon, end);
        }
        if (end < length && text[end] == '=')
            end = find_outside(text, length, end + 1, ",");
        if (end < length && is_among(text[end], "]}"))
            return end;
        at = end < length && text[end] == ',' ? end + 1 : end;
    }
    return at < length ? at + 1 : length;
}

/* `at`: behind "def". Returns where its body, or its block, begins. */
static size_t blank_signature(char *text, size_t length, size_t at)
{
    at = skip_word(text, length, skip_spaces(text, length, at));
    at = skip_spaces(text, length, at);
    if (at < length && text[at] == '[') /* type parameters */
        at = find_outside(text, length, at + 1, "") + 1;
    if (at >= length || text[at] != '(')
        return at;
    at = skip_spaces(text, length, blank_parameters(text, length, at + 1));
    if (at + 1 >= length || text[at] != '-' || text[at + 1] != '>')
        return at;
    size_t colon = find_outside(text, length, at, ":\n");
    text_blank(text, at, colon);
    return colon;
}

/* Behind "x", "self.x" or "x[0]"; `at` where none begins. */
static size_t target_end(const char *text, size_t length, size_t at)
{
    size_t end = skip_word(text, length, at);
    while (end > at && end < length && (text[end] == '.' || text[end] == '[')) {
        size_t closing = find_outside(text, length, end + 1, "");
        end = text[end] == '.' ? skip_word(text, length, end + 1) : closing < length ? closing + 1 : length;
    }
    return end;
}

/* "else:", "if[x]:" */
static bool begins_block(const char *text, size_t begin, size_t end)
{
    static const char *const words[] = {"else", "try", "finally", "lambda", "if", "elif", "while"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (word_at(text, begin, end, words[i]))
            return true;
    return false;
}

/* Of the statement that begins there. Returns from where on to look for the next. */
static size_t blank_in_statement(char *text, size_t length, size_t at)
{
    size_t end = skip_word(text, length, at);
    if (word_at(text, at, end, "async")) {
        at = skip_spaces(text, length, end);
        end = skip_word(text, length, at);
    }
    if (word_at(text, at, end, "def"))
        return blank_signature(text, length, end);
    if (begins_block(text, at, end))
        return end;
    end = target_end(text, length, at);
    size_t colon = skip_spaces(text, length, end);
    if (end == at || colon >= length || text[colon] != ':' || (colon + 1 < length && text[colon + 1] == '='))
        return end;
    size_t behind = find_outside(text, length, colon + 1, "=\n;");
    bool is_assignment = behind < length && text[behind] == '=';
    text_blank(text, is_assignment ? colon : at, behind);
    return behind;
}

/* Behind the end of the statement or, of one with a block, behind its ":". */
static size_t next_statement(const char *text, size_t length, size_t at)
{
    for (;;) {
        size_t end = find_outside(text, length, at, ":;\n");
        if (end >= length)
            return length;
        bool goes_on = end > 0 && (text[end] == '\n' && (text[end - 1] == '\\' ||
                                                         (end > 1 && text[end - 1] == '\r' && text[end - 2] == '\\')));
        if (!goes_on && !is_among(text[end], ")]}"))
            return end + 1;
        at = end + 1;
    }
}

void annotations_blank(char *text, size_t length_bytes)
{
    for (size_t at = 0; at < length_bytes;) {
        at = skip_spaces(text, length_bytes, at);
        at = next_statement(text, length_bytes, blank_in_statement(text, length_bytes, at));
    }
}
