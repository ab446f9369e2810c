/*
 * Runs of one length, and of others; of data as large, and larger. Lines that were not edited tell: one that makes as many objects
 * was executed as often. What comes round - the batches of an epoch, examples in another order - repeats in a longer run alone.
 */
#include <math.h>

#include "compare/judge.h"
#include "findings/finding.h"

#define REPEATS_LEAST 0.5       /* four epochs repeat three quarters */
#define OBJECT_LEAST_BYTES 1024 /* smaller buffers are none (preload/objects/object_map.h) */
#define SET_UP_PART                                                                                                    \
    0.25 /* of the waste's births: lines with fewer may be set-up, executed once in runs of any length */

/* Of results: how many workspaces a library takes for one is its version's affair. */
static uint64_t births_of(const struct profile_line *line)
{
    uint64_t births = 0;
    for (size_t i = 0; i < line->group_count; i++)
        profile_add(&births, line->groups[i].results);
    return births;
}

double judge_births_factor(const struct match *match, size_t line)
{
    uint64_t before = births_of(&match->base->lines[match->base_lines[line]]);
    return before > 0 ? (double)births_of(&match->now->lines[line]) / (double)before : 0;
}

bool judge_other_length(const struct match *match)
{
    for (size_t i = 0; i < match->now->line_count; i++)
        if (match->base_lines[i] != SIZE_MAX && match_is_unedited(match, &match->now->lines[i]) &&
            lengths_differ((double)births_of(&match->now->lines[i]),
                           (double)births_of(&match->base->lines[match->base_lines[i]])))
            return true;
    return false;
}

bool judge_same_length(const struct match *match, uint64_t births)
{
    bool any = false;
    for (size_t i = 0; i < match->now->line_count; i++) {
        if (match->base_lines[i] == SIZE_MAX || !match_is_unedited(match, &match->now->lines[i]))
            continue;
        double before = (double)births_of(&match->base->lines[match->base_lines[i]]);
        if (lengths_differ((double)births_of(&match->now->lines[i]), before))
            return false;
        any = any || (before > 1 && before >= SET_UP_PART * (double)births);
    }
    return any;
}

double judge_length_factor(const struct match *match, uint64_t births)
{
    double most = 0;
    if (judge_same_length(match, births))
        return 1;
    for (size_t i = 0; i < match->now->line_count; i++) {
        if (match->base_lines[i] == SIZE_MAX || !match_is_unedited(match, &match->now->lines[i]))
            continue;
        uint64_t before = births_of(&match->base->lines[match->base_lines[i]]);
        if (before > 1 && (double)before >= SET_UP_PART * (double)births)
            most = fmax(most, judge_births_factor(match, i));
    }
    return most;
}

bool judge_runs_longer(const struct match *match, size_t line)
{
    double factor = judge_births_factor(match, line);
    for (size_t i = 0; i < match->now->line_count && factor > 1 + LENGTH_DIFFERS; i++)
        if (i != line && match->base_lines[i] != SIZE_MAX && match_is_unedited(match, &match->now->lines[i]) &&
            !lengths_differ(judge_births_factor(match, i), factor))
            return match_is_unedited(match, &match->now->lines[line]);
    return false;
}

/* Of the places of a line that repeat: all results, and those that were not equal to an earlier one of their place. */
struct coming_round {
    double results, bytes, first;
    double part; /* of all results of the line */
};

static struct coming_round coming_round_at(const struct profile_line *line)
{
    struct coming_round round = {0};
    for (size_t i = 0; i < line->group_count; i++) {
        const struct profile_group *group = &line->groups[i];
        double again = group->examined > 0 ? (double)group->replicas / (double)group->examined : 0;
        if (again < REPEATS_LEAST)
            continue;
        round.results += (double)group->results;
        round.bytes += (double)group->bytes * ((double)group->results / (double)group->births);
        round.first += (1 - again) * (double)group->results;
    }
    round.part = round.results / (double)births_of(line);
    return round;
}

static double repeated_at(const struct profile_line *line)
{
    double repeated = 0;
    for (size_t i = 0; i < line->group_count; i++) {
        const struct profile_group *group = &line->groups[i];
        if (group->examined > 0)
            repeated += (double)group->replicas / (double)group->examined * (double)group->results;
    }
    return repeated;
}

/* Bytes of the buffers of its largest place, in the mean. */
static double largest_at(const struct profile_line *line)
{
    double largest = 0;
    for (size_t i = 0; i < line->group_count; i++)
        if (line->groups[i].births > 0)
            largest = fmax(largest, (double)line->groups[i].bytes / (double)line->groups[i].births);
    return largest;
}

/*
 * Were it the same code: of so many contents that come round in this run the baseline's had each once before any came again. What
 * another line had just made is no matter of length.
 */
bool judge_length_explains(const struct match *match, const struct profile_finding *finding)
{
    size_t there = match->base_lines[finding->line];
    if (there == SIZE_MAX || strcmp(finding->kind, "replica") != 0 ||
        strcmp(finding->category, FINDING_REPEATED_CALL) == 0 || !judge_runs_longer(match, finding->line))
        return false;
    struct coming_round round = coming_round_at(finding_line(match->now, finding));
    const struct profile_line *before = &match->base->lines[there];
    double expected = round.part * (double)births_of(before) - (1 + LENGTH_DIFFERS) * round.first;
    return round.results > 0 && round.bytes / round.results <= (1 + LENGTH_DIFFERS) * largest_at(before) &&
           expected <= (1 + LENGTH_DIFFERS) * repeated_at(before);
}

static double bytes_each(const struct profile_line *line)
{
    double bytes = 0, results = (double)births_of(line);
    for (size_t i = 0; i < line->group_count; i++) {
        const struct profile_group *group = &line->groups[i];
        if (group->births > 0)
            bytes += (double)group->bytes * ((double)group->results / (double)group->births);
    }
    return results > 0 ? bytes / results : 0;
}

/* How many times as large as the baseline's the results of a line are that was found again there, and not edited; 0: nobody knows. */
static double size_factor(const struct match *match, size_t line)
{
    if (match->base_lines[line] == SIZE_MAX || !match_is_unedited(match, &match->now->lines[line]))
        return 0;
    double before = bytes_each(&match->base->lines[match->base_lines[line]]);
    return before > 0 ? bytes_each(&match->now->lines[line]) / before : 0;
}

bool judge_data_is_larger(const struct match *match, size_t line)
{
    double factor = size_factor(match, line);
    for (size_t i = 0; i < match->now->line_count && factor > 1 + LENGTH_DIFFERS; i++)
        if (i != line && size_factor(match, i) * (1 + LENGTH_DIFFERS) >= factor)
            return true;
    return false;
}

bool judge_was_too_small(const struct match *match, const struct profile_finding *finding, double bytes)
{
    double most = 0;
    for (size_t i = 0; i < match->now->line_count; i++)
        most = i != finding->line ? fmax(most, size_factor(match, i)) : most;
    return match_is_unedited(match, finding_line(match->now, finding)) && most > 0 && bytes / most < OBJECT_LEAST_BYTES;
}
