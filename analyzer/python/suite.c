#include "python/suite.h"

#include <string.h>

#include "python/code_facts.h"

#define ROWS_MAX 200 /* of a statement, behind one of its rows */

bool suite_row(const struct source *code, int32_t row, struct word *text, size_t *indent)
{
    size_t length = 0;
    const char *begin = source_line(code, row, &length);
    if (begin == NULL)
        return false;
    *text = word_trimmed(begin, begin + length);
    *indent = (size_t)(text->text - begin);
    return true;
}

bool suite_statement(const struct source *code, int32_t row, struct word *statement, size_t *indent, int32_t *last)
{
    size_t length = 0;
    int32_t first = 0;
    const char *begin = source_line(code, row, &length);
    struct word text = begin != NULL ? word_trimmed(begin, begin + length) : (struct word){NULL, 0};
    *indent = begin != NULL ? (size_t)(text.text - begin) : 0;
    if (text.length_bytes == 0 || !suite_rows(code, row, row, &first, last))
        return false;
    const char *end = source_line(code, *last, &length);
    *statement = word_trimmed(begin, end + length);
    return memchr(statement->text, ';', statement->length_bytes) == NULL;
}

bool suite_next(const struct source *code, int32_t behind, size_t indent, struct word *statement, int32_t *row,
                int32_t *last)
{
    size_t own = 0, length = 0;
    const char *text;
    for (*row = behind + 1; *row - behind < SUITE_ROWS_MAX && (text = source_line(code, *row, &length)) != NULL;
         (*row)++)
        if (word_trimmed(text, text + length).length_bytes > 0)
            return suite_statement(code, *row, statement, &own, last) && own == indent;
    return false;
}

bool suite_rows(const struct source *code, int32_t from, int32_t line, int32_t *first, int32_t *last)
{
    int depth = 0;
    const char *text;
    size_t length = 0;
    *first = from > 0 ? from : 1;
    for (*last = *first; *last - line < ROWS_MAX && (text = source_line(code, *last, &length)) != NULL; (*last)++) {
        for (size_t i = 0; i < length; i++) {
            depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
            depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
        }
        bool goes_on = depth > 0 || (length > 0 && text[length - 1] == '\\');
        if (!goes_on && *last >= line)
            return true;
        if (!goes_on) {
            depth = 0;
            *first = *last + 1;
        }
    }
    return false;
}

bool suite_statement_at(const struct source *code, const char *at, struct word *statement, int32_t *first)
{
    int32_t row = code_row(code, at), last = 0;
    size_t length = 0, last_length = 0;
    if (!suite_rows(code, 1, row, first, &last))
        return false;
    const char *begin = source_line(code, *first, &length), *end = source_line(code, last, &last_length);
    struct word rest = {begin, (size_t)(end + last_length - begin)};
    for (bool is_first = true; word_next_statement(&rest, statement); is_first = false)
        if (at >= statement->text && at < word_end(*statement)) {
            *first = is_first ? *first : 0;
            *statement = word_trimmed(statement->text, word_end(*statement));
            return true;
        }
    return false;
}
