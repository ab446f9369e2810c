#include "python/scope.h"

#include <string.h>

#include "python/clear.h"
#include "python/suite.h"

bool scope_is_function(struct word text)
{
    struct word header = word_without_async(text);
    return word_is(word_name_at(header.text, word_end(header)), "def");
}

int32_t scope_header(const struct source *code, int32_t row)
{
    struct word text;
    size_t indent = 0, own = 0;
    if (!suite_row(code, row, &text, &indent))
        return 0;
    for (row--; row > 0 && indent > 0 && suite_row(code, row, &text, &own); row--)
        /* "):" ends the header of a function that begins further up. */
        if (text.length_bytes > 0 && own < indent && strchr(")]}", *text.text) == NULL)
            return row;
    return 0;
}

/* "def f(x): return x + 1": what the function does stands behind its header. */
static bool is_whole_function(const struct source *code, int32_t row)
{
    struct word text, header, rest;
    size_t indent = 0;
    if (!suite_row(code, row, &text, &indent) || !scope_is_function(text))
        return false;
    rest = (struct word){text.text, (size_t)(code->text + code->length_bytes - text.text)};
    if (!word_next_statement(&rest, &header) || word_end(header) == word_end(rest) || *word_end(header) != ':')
        return false;
    const char *body = word_skip_blanks(rest.text, word_end(rest));
    return body < word_end(rest) && strchr("\r\n", *body) == NULL;
}

int32_t scope_outer(const struct source *code, int32_t row)
{
    struct word text;
    size_t own = 0;
    for (row = scope_header(code, row); row > 0 && suite_row(code, row, &text, &own); row = scope_header(code, row))
        if (scope_is_function(text))
            return row;
    return 0;
}

int32_t scope_function(const struct source *code, int32_t row)
{
    return is_whole_function(code, row) ? row : scope_outer(code, row);
}
