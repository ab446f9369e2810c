#include "findings/spot_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/source_code.h"

#define TEXT_MAX 2000

struct word spot_text_at(const struct source *source, const struct line_span *span)
{
    size_t length = 0, last_length = 0;
    const char *first = source_line(source, span->line, &length);
    const char *last = span->end_line > span->line ? source_line(source, span->end_line, &last_length) : first;
    last_length = last == first ? length : last_length;
    if (first == NULL || last == NULL)
        return (struct word){"", 0};
    bool known = span->column >= 0 && span->end_column >= 0 && (size_t)span->column <= length &&
                 (size_t)span->end_column <= last_length;
    const char *from = known ? first + span->column : first, *to = known ? last + span->end_column : first + length;
    return to > from && to - from <= TEXT_MAX ? (struct word){from, (size_t)(to - from)} : (struct word){"", 0};
}

bool spot_text_is_in_header(const struct source *source, const struct line_span *span, const struct loop_body *body)
{
    size_t header_bytes = loop_text_header_bytes(source, body->first, body->first);
    if (span->column < 0)
        return body->last > body->first;
    return (size_t)span->column < header_bytes;
}

/*
 * Where such an instruction was in an array's library, what it subscripts is an array, and no list of arrays: not so a single index that is
 * given something else, for a list lets go of what it held. Without columns (before CPython 3.11) any is.
 */
static bool is_proof(const struct source *source, const struct line_span *span, struct word text)
{
    size_t length = 0;
    const char *last = source_line(source, span->end_line, &length);
    if (span->column < 0 || last == NULL || memchr(text.text, ',', text.length_bytes) != NULL)
        return true;
    const char *end = last + length, *behind = word_skip_blanks(text.text + text.length_bytes, end);
    return behind == end || *behind != '=' || (behind + 1 < end && behind[1] == '=');
}

void spot_text_read(struct spot *spot, const struct source *source, const struct line_span *span)
{
    struct word text = spot_text_at(source, span);
    char *joined = memory_print("%.*s", (int)text.length_bytes, text.text);
    const struct word expression = {joined, strlen(joined)};
    source_join_subscripts(joined, expression.length_bytes);
    const struct loop_text *loop = &spot->walk->text;
    spot->element = !spot->header && !loop_text_has_whole(loop, expression) &&
                    (loop_text_has_element(loop, expression, false) || loop_text_is_of_scalars(loop, expression));
    spot->loads = spot->element && loop_text_is_subscript(expression) && is_proof(source, span, text);
    spot->item = spot->header || loop_text_has_element(&spot->walk->text, expression, true);
    if (!spot->header)
        row_call_read(&spot->row_call, loop, spot->text, span->column < 0);
    free(joined);
}
