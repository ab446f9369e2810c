#include "model/source_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/annotations.h"

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* How many quotes begin, and end, the string at `at`: three or one. */
static size_t quotes_at(const char *text, size_t length, size_t at)
{
    bool triple = at + 2 < length && text[at + 1] == text[at] && text[at + 2] == text[at];
    return triple ? 3 : 1;
}

/* Behind the string that begins at `at`. One in single quotes ends with its line at the latest: the source is wrong then. */
static size_t string_end(const char *text, size_t length, size_t at)
{
    char quote = text[at];
    size_t quotes = quotes_at(text, length, at);
    for (size_t i = at + quotes; i < length; i++) {
        if (text[i] == '\\')
            i++;
        else if (text[i] == '\n' && quotes == 1)
            return i;
        else if (text[i] == quote && (quotes == 1 || quotes_at(text, length, i) == 3))
            return i + quotes;
    }
    return length;
}

static size_t comment_end(const char *text, size_t length, size_t at)
{
    const char *end = memchr(text + at, '\n', length - at);
    return end != NULL ? (size_t)(end - text) : length;
}

static void without(char *text, size_t length_bytes, bool comments_stay)
{
    for (size_t at = 0; at < length_bytes; at++) {
        const bool comment = text[at] == '#';
        if (!is_quote(text[at]) && !comment)
            continue;
        size_t end = comment ? comment_end(text, length_bytes, at) : string_end(text, length_bytes, at);
        if (!comment || !comments_stay)
            text_blank(text, at, end < length_bytes ? end : length_bytes);
        at = end > at ? end - 1 : at;
    }
}

void source_code_only(char *text, size_t length_bytes)
{
    without(text, length_bytes, false);
    annotations_blank(text, length_bytes);
}

void source_without_annotations(char *text, size_t length_bytes)
{
    char *code = memory_zeroed(length_bytes + 1, 2), *bare = code + length_bytes + 1;
    memcpy(code, text, length_bytes);
    without(code, length_bytes, false);
    memcpy(bare, code, length_bytes);
    annotations_blank(bare, length_bytes);
    for (size_t i = 0; i < length_bytes; i++)
        if (bare[i] != code[i])
            text[i] = ' ';
    free(code);
}

void source_join_subscripts(char *text, size_t length_bytes)
{
    char *code = memory_zeroed(length_bytes + 1, 1);
    memcpy(code, text, length_bytes);
    without(code, length_bytes, false);
    for (size_t i = 0; i + 1 < length_bytes; i++)
        if (code[i] == ']' && code[i + 1] == '[')
            memcpy(text + i, ", ", 2);
    free(code);
}

void source_without_strings(char *text, size_t length_bytes)
{
    without(text, length_bytes, true);
}
