#include "compare/hunk.h"

#include <math.h>

#include "compare/judge.h"
#include "compare/length.h"

#define ROWS_MAX 48     /* more are no refactoring */
#define ALIKE 0.01      /* of the sums: of places that were looked at in part they are estimates */
#define FIRST_ONES 0.02 /* of the bytes: of fifty rounds one */

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

static void add(struct hunk_sum *sum, const struct profile_line *line, const char *kind)
{
    struct repeated repeated = line_repeated(line, kind, DECIDES_SHARE);
    sum->births += (double)repeated.births;
    sum->objects += repeated.objects;
    sum->bytes += repeated.bytes;
}

static bool are_alike(double now, double base, double alike)
{
    return fabs(now - base) <= alike * base;
}

/* Is that how many times as many results one line makes that was not edited? */
static bool is_told(const struct match *match, double length, double alike)
{
    for (size_t i = 0; i < match->now->line_count; i++)
        if (are_alike(length, length_of_unedited(match, i), alike))
            return true;
    return false;
}

/*
 * How many times as often as in the baseline the rows are executed, as a line says that was not edited; 1: as often. By their births or,
 * where an edit joined several buffers to one, by their bytes, of which the first of each place, which repeats none, are no part.
 */
static double length_of(const struct match *match, const struct hunk_repeated *repeated)
{
    const struct hunk_sum *now = &repeated->now, *base = &repeated->base;
    if (base->births <= 0 || base->bytes <= 0 || !length_is_other_throughout(match, base->births))
        return 1;
    const double times = now->births / base->births, bytes = now->bytes / base->bytes;
    if (lengths_differ(times, 1) && is_told(match, times, ALIKE))
        return times;
    return lengths_differ(bytes, 1) && is_told(match, bytes, FIRST_ONES) ? bytes : 1;
}

struct hunk_repeated hunk_repeated(const struct match *match, const struct hunk *hunk, const char *kind,
                                   const bool *settled)
{
    struct hunk_repeated sum = {0};
    for (size_t i = 0; i < match->now->line_count; i++)
        if (hunk_has(hunk, &match->now->lines[i]) && (settled == NULL || !settled[i]))
            add(&sum.now, &match->now->lines[i], kind);
    for (size_t i = 0; i < match->base->line_count; i++)
        if (hunk_had(hunk, &match->base->lines[i]))
            add(&sum.base, &match->base->lines[i], kind);
    sum.length = length_of(match, &sum);
    return sum;
}

struct hunk_repeated hunk_repeated_anywhere(const struct match *match, const char *kind, const bool *kept)
{
    struct hunk_repeated sum = {0};
    for (size_t i = 0; i < match->now->line_count; i++)
        if (!match_is_unedited(match, &match->now->lines[i]))
            add(&sum.now, &match->now->lines[i], kind);
    for (size_t i = 0; i < match->base->line_count; i++)
        if (!kept[i])
            add(&sum.base, &match->base->lines[i], kind);
    return sum;
}

bool hunk_is_alike(const struct hunk_repeated *repeated)
{
    const struct hunk_sum *now = &repeated->now, *base = &repeated->base;
    /* The first of each place repeats none, so that only births grow as a run does. */
    if (lengths_differ(repeated->length, 1))
        return base->objects > 0 && are_alike(now->bytes, repeated->length * base->bytes, LENGTH_DIFFERS);
    return base->objects > 0 && are_alike(now->bytes, base->bytes, ALIKE);
}

bool hunk_is_more(const struct hunk_repeated *repeated)
{
    const struct hunk_sum *now = &repeated->now, *base = &repeated->base;
    if (lengths_differ(repeated->length, 1))
        return now->bytes > (1 + LENGTH_DIFFERS) * repeated->length * base->bytes;
    return now->objects > (1 + ALIKE) * base->objects || now->bytes > (1 + ALIKE) * base->bytes;
}
