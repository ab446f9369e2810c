/*
 * A known waste at a line that was edited, and makes more buffers each time now: for each birth it is what it was. As much as
 * the whole run makes tells where runs are of one length: lines that are not edited were executed as often, so that it is
 * the edit that made more of it. Not where another line that repeated is gone from the text: it may have moved here.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "compare/judge.h"

#define LENGTH_DIFFERS 0.1
#define REPEATED_LEAST 0.5

static uint64_t births_of(const struct profile_line *line)
{
    uint64_t births = 0;
    for (size_t i = 0; i < line->group_count; i++)
        profile_add(&births, line->groups[i].births);
    return births;
}

/* Do all lines that are not edited make as many objects, and is there any? */
static bool is_same_length(const struct match *match)
{
    bool any = false;
    for (size_t i = 0; i < match->now->line_count; i++) {
        if (match->base_lines[i] == SIZE_MAX || !match_is_unedited(match, &match->now->lines[i]))
            continue;
        double now = (double)births_of(&match->now->lines[i]),
               before = (double)births_of(&match->base->lines[match->base_lines[i]]);
        if (now > (1 + LENGTH_DIFFERS) * before || before > (1 + LENGTH_DIFFERS) * now)
            return false;
        any = any || before > 1;
    }
    return any;
}

/* Is a line that repeated in the baseline at no line of this run? */
static bool is_any_gone(const struct match *match, const char *kind)
{
    bool *there = memory_zeroed(match->base->line_count, sizeof(*there)), gone = false;
    for (size_t i = 0; i < match->now->line_count; i++)
        if (match->base_lines[i] != SIZE_MAX)
            there[match->base_lines[i]] = true;
    for (size_t i = 0; i < match->base->line_count && !gone; i++)
        gone = !there[i] && line_repeated(&match->base->lines[i], kind, REPEATED_LEAST).births > 0;
    free(there);
    return gone;
}

bool judge_has_grown(const struct match *match, const struct profile_finding *finding, const struct repeated *now,
                     const struct repeated *there, double increase_percent)
{
    const struct profile_line *line = finding_line(match->now, finding);
    return now->bytes > there->most_bytes * (1 + increase_percent / 100) && match->known[finding->line] &&
           !match_is_unedited(match, line) && is_same_length(match) && !is_any_gone(match, finding->kind);
}
