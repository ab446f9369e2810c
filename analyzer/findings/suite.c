#include "findings/suite.h"

#include <string.h>

#include "findings/statement.h"

bool suite_statement(const struct source *code, int32_t row, struct word *statement, size_t *indent, int32_t *last)
{
    size_t length = 0;
    int32_t first = 0;
    const char *begin = source_line(code, row, &length);
    struct word text = begin != NULL ? word_trimmed(begin, begin + length) : (struct word){NULL, 0};
    *indent = begin != NULL ? (size_t)(text.text - begin) : 0;
    if (text.length_bytes == 0 || !statement_rows(code, row, row, &first, last))
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
