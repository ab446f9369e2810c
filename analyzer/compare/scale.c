#include "compare/scale.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/match.h"

uint64_t line_results(const struct profile_line *line)
{
    return line->made.results;
}

static double mean_bytes(const struct profile_line *line, double results)
{
    return results > 0 ? line->made.bytes / results : 0;
}

static double times(double now, double before)
{
    return before > 0 ? now / before : 0;
}

/* Of how many bytes a line's results are: by what both runs know of them. */
static double times_as_large(const struct profile_line *now, const struct profile_line *before, double results_now,
                             double results_before)
{
    if (now->typical_bytes > 0 && before->typical_bytes > 0)
        return times((double)now->typical_bytes, (double)before->typical_bytes);
    return times(mean_bytes(now, results_now), mean_bytes(before, results_before));
}

static bool is_called_by(const struct profile_line *line, struct match_place place)
{
    for (size_t i = 0; i < line->way_count; i++)
        for (size_t k = 0; k < line->ways[i].row_count; k++)
            if (line->ways[i].rows[k].file == place.file && line->ways[i].rows[k].number == place.line)
                return true;
    return false;
}

/* A row of a file that both have, and of the run that is judged alone; or one that was edited, and did not call the line before. */
static bool is_new(const struct match *match, struct profile_row row, const struct profile_line *there)
{
    struct match_place place;
    if (!match_has_file(match, row.file))
        return false;
    bool is_unedited = match_row_is_unedited(match, row.file, row.number, &place);
    return place.line <= 0 || (!is_unedited && there->way_count > 0 && !is_called_by(there, place));
}

const struct profile_row *way_new_row(const struct match *match, const struct profile_way *way,
                                      const struct profile_line *there)
{
    for (size_t i = 0; i < way->row_count; i++)
        if (is_new(match, way->rows[i], there))
            return &way->rows[i];
    return NULL;
}

static void count_anew(struct scale *scale, const struct match *match, const struct profile_line *line,
                       const struct profile_line *there)
{
    for (size_t i = 0; i < line->way_count; i++) {
        if (way_new_row(match, &line->ways[i], there) == NULL)
            continue;
        scale->anew += (double)line->ways[i].results;
        scale->anew_again += (double)line->ways[i].again;
    }
}

void scales_make(struct scales *scales, const struct match *match)
{
    scales->of = memory_zeroed(match->now->line_count, sizeof(*scales->of));
    for (size_t i = 0; i < match->now->line_count; i++) {
        const struct profile_line *line = &match->now->lines[i];
        if (match->base_lines[i] == SIZE_MAX || !match_is_unedited(match, line))
            continue;
        const struct profile_line *there = &match->base->lines[match->base_lines[i]];
        double now = (double)line_results(line), before = (double)line_results(there);
        scales->of[i] = (struct scale){
            .before = before, .results = times(now, before), .bytes_each = times_as_large(line, there, now, before)};
        count_anew(&scales->of[i], match, line, there);
        scales->most_before = fmax(scales->most_before, before);
        scales->most_bytes_each = fmax(scales->most_bytes_each, scales->of[i].bytes_each);
        scales->other_length = scales->other_length || lengths_differ(now, before);
    }
}

void scales_free(struct scales *scales)
{
    free(scales->of);
    *scales = (struct scales){0};
}
