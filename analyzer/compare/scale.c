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

/* A row of a file that both have, and of the run that is judged alone. */
static bool is_new(const struct match *match, struct profile_row row)
{
    return match_has_file(match, row.file) && match_place(match, row.file, row.number).line <= 0;
}

const struct profile_row *way_new_row(const struct match *match, const struct profile_way *way)
{
    for (size_t i = 0; i < way->row_count; i++)
        if (is_new(match, way->rows[i]))
            return &way->rows[i];
    return NULL;
}

static void count_anew(struct scale *scale, const struct match *match, const struct profile_line *line)
{
    for (size_t i = 0; i < line->way_count; i++) {
        if (way_new_row(match, &line->ways[i]) == NULL)
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
        count_anew(&scales->of[i], match, line);
        scales->most_before = fmax(scales->most_before, before);
        scales->other_length = scales->other_length || lengths_differ(now, before);
    }
}

void scales_free(struct scales *scales)
{
    free(scales->of);
    *scales = (struct scales){0};
}
