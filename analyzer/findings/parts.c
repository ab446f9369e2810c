#include "findings/parts.h"

#include <string.h>

static bool is_of_one_row(const struct line_span *span)
{
    return span->column >= 0 && span->end_column > span->column && span->end_line == span->line;
}

/* Takes the part out, and widens the span to hold it. */
static void absorb_part(struct finding_parts *parts, size_t index, struct line_span *span, double *seconds)
{
    const struct line_span *part = &parts->spans[index];
    span->column = part->column < span->column ? part->column : span->column;
    span->end_column = part->end_column > span->end_column ? part->end_column : span->end_column;
    *seconds += parts->seconds[index];
    size_t behind = parts->count - index - 1;
    memmove(&parts->spans[index], &parts->spans[index + 1], behind * sizeof(parts->spans[0]));
    memmove(&parts->seconds[index], &parts->seconds[index + 1], behind * sizeof(parts->seconds[0]));
    parts->count--;
}

bool parts_add(struct finding_parts *parts, struct line_span span, double seconds)
{
    if (!is_of_one_row(&span))
        return false;
    for (size_t i = 0; i < parts->count;) {
        bool apart = parts->spans[i].end_column <= span.column || span.end_column <= parts->spans[i].column;
        if (apart)
            i++;
        else
            absorb_part(parts, i, &span, &seconds);
    }
    if (parts->count == FINDING_PARTS_MAX)
        return false;
    size_t at = 0;
    while (at < parts->count && parts->spans[at].column < span.column)
        at++;
    memmove(&parts->spans[at + 1], &parts->spans[at], (parts->count - at) * sizeof(parts->spans[0]));
    memmove(&parts->seconds[at + 1], &parts->seconds[at], (parts->count - at) * sizeof(parts->seconds[0]));
    parts->spans[at] = span;
    parts->seconds[at] = seconds;
    parts->count++;
    return true;
}

size_t parts_heaviest(const struct finding_parts *parts)
{
    size_t heaviest = 0;
    for (size_t i = 1; i < parts->count; i++)
        heaviest = parts->seconds[i] > parts->seconds[heaviest] ? i : heaviest;
    return heaviest;
}
