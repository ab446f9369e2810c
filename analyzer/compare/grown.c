/*
 * A known waste at a line that was edited, and makes more buffers each time now: for each birth it is what it was. As much as
 * the whole run makes tells where runs are of one length: lines that are not edited were executed as often, so that it is
 * the edit that made more of it. What other lines that were edited, or are gone, make less of may have moved here.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/judge.h"

#define REPEATED_LEAST 0.01 /* beyond chance */

/* Of files whose text is not known, lines are found again by the line's own: these are not edited. */
static bool is_edited(const struct match *match, size_t line)
{
    return match->known[line] && !match_is_unedited(match, &match->now->lines[line]);
}

/* Did another line that was edited, too, grow just as much? Then it is the loop of both that is executed more often. */
static bool grew_together(const struct match *match, size_t line)
{
    double factor = match->base_lines[line] != SIZE_MAX ? judge_births_factor(match, line) : 1;
    for (size_t i = 0; i < match->now->line_count && lengths_differ(factor, 1); i++)
        if (i != line && match->base_lines[i] != SIZE_MAX && is_edited(match, i) &&
            !lengths_differ(judge_births_factor(match, i), factor))
            return true;
    return false;
}

/* Bytes that lines other than `line` which were edited, or make nothing now, repeated more of in the baseline. */
static double lost_elsewhere(const struct match *match, size_t line, const char *kind)
{
    double *there = memory_zeroed(match->base->line_count, sizeof(*there)), lost = 0;
    for (size_t i = 0; i < match->now->line_count; i++)
        if (match->base_lines[i] != SIZE_MAX)
            there[match->base_lines[i]] = i != line && is_edited(match, i)
                                              ? line_repeated(&match->now->lines[i], kind, REPEATED_LEAST).bytes
                                              : INFINITY;
    for (size_t i = 0; i < match->base->line_count; i++)
        lost += fmax(0, line_repeated(&match->base->lines[i], kind, REPEATED_LEAST).bytes - there[i]);
    free(there);
    return lost;
}

bool judge_has_grown(const struct match *match, const struct profile_finding *finding, const struct repeated *now,
                     const struct repeated *there, double increase_percent)
{
    const struct profile_line *line = finding_line(match->now, finding);
    double most = there->most_bytes * (1 + increase_percent / 100);
    return now->bytes > most && match->known[finding->line] && !match_is_unedited(match, line) &&
           judge_same_length(match, there->births) && !grew_together(match, finding->line) &&
           now->bytes - lost_elsewhere(match, finding->line, finding->kind) > most;
}
