#include "compare/untold.h"

#include <math.h>

#include "compare/length.h"
#include "findings/finding.h"

#define SEEN_SHARE 0.1      /* of what comes again: where fewer were left out, they were not all among these */
#define REPEATS_LEAST 0.5   /* four epochs repeat three quarters */
#define ELIDED_BYTES 0x1p18 /* NumPy's NPY_MIN_ELIDE_BYTES: from here on it writes over temporary operands */

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

/*
 * Were it the same code: of so many contents that come round in this run the baseline's had each once before any came again. What
 * another line had just made is no matter of length.
 */
bool untold_by_length(const struct match *match, const struct profile_finding *finding)
{
    size_t there = match->base_lines[finding->line];
    if (there == SIZE_MAX || strcmp(finding->kind, "replica") != 0 ||
        strcmp(finding->category, FINDING_REPEATED_CALL) == 0 || !length_is_more_at(match, finding->line))
        return false;
    struct coming_round round = coming_round_at(finding_line(match->now, finding));
    const struct profile_line *before = &match->base->lines[there];
    double expected = round.part * (double)line_results(before) - (1 + LENGTH_DIFFERS) * round.first;
    double larger = data_is_larger(match, finding->line) ? match->scales.of[finding->line].bytes_each : 1;
    return round.results > 0 && round.bytes / round.results <= (1 + LENGTH_DIFFERS) * larger * largest_at(before) &&
           expected <= (1 + LENGTH_DIFFERS) * repeated_at(before);
}

/* Would buffers of `bytes` at a line that was not edited have been too small to be objects of the baseline's run? */
static bool was_too_small(const struct match *match, const struct profile_finding *finding, double bytes)
{
    double most = 0;
    for (size_t i = 0; i < match->now->line_count; i++)
        most = i != finding->line ? fmax(most, match->scales.of[i].bytes_each) : most;
    return match_is_unedited(match, finding_line(match->now, finding)) && most > 0 &&
           bytes / most < match->base->object_min_bytes;
}

/*
 * Were the buffers at a line that was not edited so large in the baseline's run that NumPy wrote other results over them, and are of
 * `bytes` now? It had no two equal ones to compare then.
 */
static bool was_elided(const struct match *match, const struct profile_finding *finding, double bytes)
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

/*
 * What another call had just made comes again, both lines and all rows that call them are not edited, and the baseline's run, as a
 * long one does, looked at a part of their objects only? The few equal ones may have been among the others.
 */
static bool was_seldom_seen(const struct match *match, const struct profile_finding *finding, double objects)
{
    return finding->first > 0 && strcmp(finding->category, FINDING_REPEATED_CALL) == 0 &&
           is_called_as_before(match, finding_line(match->now, finding)) &&
           is_called_as_before(match, &match->now->lines[finding->first - 1]) &&
           fmax(not_looked_at(match, finding->line), not_looked_at(match, finding->first - 1)) >= SEEN_SHARE * objects;
}

const char *untold_by_phase(const struct match *match, size_t line)
{
    const enum phase phase = match->base->phase;
    const size_t there = match->base_lines[line];
    if (phase == PHASE_COUNT || there == SIZE_MAX)
        return NULL;
    const unsigned phases = match->base->lines[there].phases | match->base->lines[there].ran;
    return phases == 0 || (phases >> phase & 1) != 0
               ? NULL
               : "In the baseline this line worked in other phases alone, of which a comparison of one phase knows "
                 "nothing. Compare all phases.";
}

const char *untold_why(const struct match *match, const struct profile_finding *finding, const struct repeated *now)
{
    const char *by_phase = untold_by_phase(match, finding->line);
    if (by_phase != NULL)
        return by_phase;
    if (untold_by_length(match, finding))
        return "The baseline's run was shorter and had each of them once: whether they would have repeated there "
               "cannot be told. Take a baseline of a run as long as this one.";
    if (was_too_small(match, finding, now->bytes / now->objects))
        return "The baseline's run had smaller data: buffers below 1 KiB are not looked at (or below "
               "PIEPROF_OBJECT_MIN), "
               "so that whether they repeated cannot be told. Take a baseline of a run of data as large.";
    if (was_elided(match, finding, now->bytes / now->objects))
        return "The baseline's run had larger data: NumPy writes results of 256 KiB and more over their temporary "
               "operands, so that whether these repeated cannot be told. Take a baseline of a run of data as large.";
    if (was_seldom_seen(match, finding, now->objects))
        return "In the baseline's run a part of this line's objects was looked at, and no line or call of it was "
               "edited: whether these repeated there cannot be told.";
    return NULL;
}
