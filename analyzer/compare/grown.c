/*
 * A known waste at a line that was edited, and makes more buffers each time now: for each birth it is what it was. What the whole run
 * makes tells, for the lines that are not edited say how many times as long it is: what is more than that, the edit made. What other lines that were edited, or are gone, make less of may have moved here.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/judge.h"
#include "compare/length.h"

#define REPEATED_LEAST 0.01 /* beyond chance */

/* Of files whose text is not known, lines are found again by the line's own: these are not edited. */
static bool is_edited(const struct match *match, size_t line)
{
    return match->known[line] && !match_is_unedited(match, &match->now->lines[line]);
}

/* Did another line that was edited, too, grow just as much? Then it is the loop of both that is executed more often. */
static bool grew_together(const struct match *match, size_t line, double length)
{
    double factor = match->base_lines[line] != SIZE_MAX ? length_of_line(match, line) : length;
    for (size_t i = 0; i < match->now->line_count && lengths_differ(factor, length); i++)
        if (i != line && match->base_lines[i] != SIZE_MAX && is_edited(match, i) &&
            !lengths_differ(length_of_line(match, i), factor))
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

/*
 * More than the baseline repeated, where places that repeat in part count as far as they do? Only with more results for it: how long a
 * plateau lasts is a matter of data, of the same results.
 */
static bool adds_to_plateau(const struct match *match, const struct profile_finding *finding,
                            const struct repeated *now, const struct repeated *all, const struct repeated *there,
                            double factor)
{
    bool has_more = match->base_lines[finding->line] != SIZE_MAX &&
                    length_of_line(match, finding->line) > (1 + LENGTH_DIFFERS) * length_factor(match, 1);
    return has_more && there->plateau && now->bytes > factor * there->firm_bytes && all->bytes > factor * there->bytes;
}

bool judge_has_grown(const struct match *match, const struct profile_finding *finding, const struct repeated *now,
                     const struct repeated *there, double increase_percent, struct repeated *grown)
{
    const struct profile_line *line = finding_line(match->now, finding);
    double length = length_factor(match, there->births),
           factor = (1 + increase_percent / 100) * length * data_factor(match);
    double most = there->most_bytes * factor;
    if (length <= 0 || !match->known[finding->line] || match_is_unedited(match, line) ||
        grew_together(match, finding->line, length))
        return false;
    double lost = lost_elsewhere(match, finding->line, finding->kind) * length;
    struct repeated all = line_repeated_before(line, finding, false);
    *grown = now->bytes - lost > most ? *now : all;
    return now->bytes - lost > most || (now->bytes - lost > there->firm_bytes * factor &&
                                        adds_to_plateau(match, finding, now, &all, there, factor));
}
