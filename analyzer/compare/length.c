/*
 * Runs of one length, and of others; of data as large, and larger. Lines that were not edited tell: one that makes as many objects
 * was executed as often. What comes round - the batches of an epoch, examples in another order - repeats in a longer run alone.
 */
#include <math.h>

#include "compare/judge.h"
#include "findings/finding.h"

#define SEEN_SHARE 0.1          /* of what comes again: where fewer were left out, they were not all among these */
#define REPEATS_LEAST 0.5       /* four epochs repeat three quarters */
#define OBJECT_LEAST_BYTES 1024 /* smaller buffers are none (preload/objects/object_map.h) */
#define ELIDED_BYTES 0x1p18     /* NumPy's NPY_MIN_ELIDE_BYTES: from here on it writes over temporary operands */

double judge_births_factor(const struct match *match, size_t line)
{
    uint64_t before = line_results(&match->base->lines[match->base_lines[line]]);
    return before > 0 ? (double)line_results(&match->now->lines[line]) / (double)before : 0;
}

double judge_unedited_factor(const struct match *match, size_t line)
{
    const struct scale *scale = &match->scales.of[line];
    return scale->before > 1 ? scale->results : 0;
}

bool judge_longer_throughout(const struct match *match, double births)
{
    for (size_t i = 0; i < match->now->line_count; i++) {
        double factor = judge_unedited_factor(match, i);
        if (factor > 0 && !lengths_differ(factor, 1) && match->scales.of[i].before >= SET_UP_PART * births)
            return false;
    }
    return true;
}

bool judge_same_length(const struct match *match, uint64_t births)
{
    double most = match->scales.most_before;
    return !match->scales.other_length && most > 1 && most >= SET_UP_PART * (double)births;
}

double judge_length_factor(const struct match *match, uint64_t births)
{
    double most = 0;
    if (judge_same_length(match, births))
        return 1;
    for (size_t i = 0; i < match->now->line_count; i++) {
        const struct scale *scale = &match->scales.of[i];
        if (scale->before > 1 && scale->before >= SET_UP_PART * (double)births)
            most = fmax(most, scale->results);
    }
    return most;
}

bool judge_runs_longer(const struct match *match, size_t line)
{
    double factor = match->scales.of[line].results;
    for (size_t i = 0; i < match->now->line_count && factor > 1 + LENGTH_DIFFERS; i++)
        if (i != line && !lengths_differ(match->scales.of[i].results, factor))
            return true;
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
    round.part = round.results / (double)line_results(line);
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

/* In two dimensions, as distances of all to all, a buffer grows as the product of two others. */
bool judge_data_is_larger_by(const struct match *match, size_t line, double factor)
{
    double most = 1, second = 1;
    if (factor <= 1 + LENGTH_DIFFERS || !match_is_unedited(match, &match->now->lines[line]))
        return false;
    for (size_t i = 0; i < match->now->line_count; i++) {
        double larger = i != line ? match->scales.of[i].bytes_each : 0;
        second = fmax(second, fmin(larger, most));
        most = fmax(most, larger);
    }
    return most > 1 + LENGTH_DIFFERS && most * second * (1 + LENGTH_DIFFERS) >= factor;
}

bool judge_data_is_larger(const struct match *match, size_t line)
{
    return judge_data_is_larger_by(match, line, match->scales.of[line].bytes_each);
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
    double expected = round.part * (double)line_results(before) - (1 + LENGTH_DIFFERS) * round.first;
    double larger = judge_data_is_larger(match, finding->line) ? match->scales.of[finding->line].bytes_each : 1;
    return round.results > 0 && round.bytes / round.results <= (1 + LENGTH_DIFFERS) * larger * largest_at(before) &&
           expected <= (1 + LENGTH_DIFFERS) * repeated_at(before);
}

bool judge_was_too_small(const struct match *match, const struct profile_finding *finding, double bytes)
{
    double most = 0;
    for (size_t i = 0; i < match->now->line_count; i++)
        most = i != finding->line ? fmax(most, match->scales.of[i].bytes_each) : most;
    return match_is_unedited(match, finding_line(match->now, finding)) && most > 0 && bytes / most < OBJECT_LEAST_BYTES;
}

bool judge_was_elided(const struct match *match, const struct profile_finding *finding, double bytes)
{
    size_t there = match->base_lines[finding->line];
    return there != SIZE_MAX && match_is_unedited(match, finding_line(match->now, finding)) && bytes < ELIDED_BYTES &&
           strcmp(finding->category, FINDING_REPEATED_CALL) == 0 &&
           largest_at(&match->base->lines[there]) >= ELIDED_BYTES && match->scales.of[finding->line].bytes_each < 1;
}

static bool is_called_as_before(const struct match *match, const struct profile_line *line)
{
    struct match_place place;
    for (size_t i = 0; i < line->way_count; i++)
        for (size_t j = 0; j < line->ways[i].row_count; j++) {
            const struct profile_row *row = &line->ways[i].rows[j];
            if (match_has_file(match, row->file) && !match_row_is_unedited(match, row->file, row->number, &place))
                return false;
        }
    return match_is_unedited(match, line);
}

/* Results of a line of the baseline at which nobody looked. */
static double not_looked_at(const struct match *match, size_t line)
{
    double results = 0;
    if (match->base_lines[line] == SIZE_MAX)
        return 0;
    const struct profile_line *there = &match->base->lines[match->base_lines[line]];
    for (size_t i = 0; i < there->group_count; i++)
        results += fmax(0, (double)there->groups[i].results - (double)there->groups[i].examined);
    return results;
}

bool judge_was_seldom_seen(const struct match *match, const struct profile_finding *finding, double objects)
{
    return finding->first > 0 && strcmp(finding->category, FINDING_REPEATED_CALL) == 0 &&
           is_called_as_before(match, finding_line(match->now, finding)) &&
           is_called_as_before(match, &match->now->lines[finding->first - 1]) &&
           fmax(not_looked_at(match, finding->line), not_looked_at(match, finding->first - 1)) >= SEEN_SHARE * objects;
}
