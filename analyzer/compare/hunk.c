#include "compare/hunk.h"

#include <math.h>

#include "compare/judge.h"

#define ROWS_MAX 48 /* more are no refactoring */
#define ALIKE 0.01  /* of the sums: of places that were looked at in part they are estimates */

bool hunk_at(const struct match *match, size_t file, int32_t row, struct hunk *hunk)
{
    struct match_place above = {0}, below = {0};
    const int32_t rows = (int32_t)match->now->files[file].line_count;
    if (row <= 0 || row > rows || match_row_is_unedited(match, file, row, &above))
        return false;
    int32_t first = row, last = row;
    while (first > 0 && !match_row_is_unedited(match, file, first, &above))
        first--;
    while (last <= rows && !match_row_is_unedited(match, file, last, &below))
        last++;
    if (first == 0 || last > rows || above.file != below.file || above.line >= below.line)
        return false;
    *hunk = (struct hunk){file, above.file, first, last, above.line, below.line};
    return last - first <= ROWS_MAX && below.line - above.line <= ROWS_MAX;
}

bool hunk_has(const struct hunk *hunk, const struct profile_line *line)
{
    return line->file == hunk->file && line->number > hunk->above && line->number < hunk->below;
}

bool hunk_had(const struct hunk *hunk, const struct profile_line *line)
{
    return line->file == hunk->base_file && line->number > hunk->base_above && line->number < hunk->base_below;
}

static void add(double *objects, double *bytes, const struct profile_line *line, const char *kind)
{
    struct repeated repeated = line_repeated(line, kind, DECIDES_SHARE);
    *objects += repeated.objects;
    *bytes += repeated.bytes;
}

struct hunk_repeated hunk_repeated(const struct match *match, const struct hunk *hunk, const char *kind,
                                   const bool *settled)
{
    struct hunk_repeated sum = {0};
    for (size_t i = 0; i < match->now->line_count; i++)
        if (hunk_has(hunk, &match->now->lines[i]) && (settled == NULL || !settled[i]))
            add(&sum.objects, &sum.bytes, &match->now->lines[i], kind);
    for (size_t i = 0; i < match->base->line_count; i++)
        if (hunk_had(hunk, &match->base->lines[i]))
            add(&sum.base_objects, &sum.base_bytes, &match->base->lines[i], kind);
    return sum;
}

bool hunk_is_alike(const struct hunk_repeated *repeated)
{
    return repeated->base_objects > 0 &&
           fabs(repeated->objects - repeated->base_objects) <= ALIKE * repeated->base_objects &&
           fabs(repeated->bytes - repeated->base_bytes) <= ALIKE * repeated->base_bytes;
}

bool hunk_is_more(const struct hunk_repeated *repeated)
{
    return repeated->objects > (1 + ALIKE) * repeated->base_objects ||
           repeated->bytes > (1 + ALIKE) * repeated->base_bytes;
}
