/*
 * Findings that were measured, not counted: which of them a run has depends on chance, so that one is new only where the
 * code is - its line is not in the baseline's text, or is edited and the baseline has no samples - or where its line takes so
 * much more of the run than before that chance does not explain it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/judge.h"
#include "compare/untold.h"
#include "findings/finding.h"
#include "model/share.h"

#define SURE_Z 3.0
#define TIMES_MORE 2.0
#define SAMPLES_SURE 16u /* what one run has none of it may have had none of by chance: not with so many */

static bool was_found(const struct match *match, const struct profile_finding *finding)
{
    for (size_t i = 0; i < match->base->finding_count; i++) {
        const struct profile_finding *before = &match->base->findings[i];
        if (before->id == finding->id ||
            (before->line == match->base_lines[finding->line] && strcmp(before->kind, finding->kind) == 0))
            return true;
    }
    return false;
}

bool measured_line_is_new(const struct match *match, size_t line)
{
    const struct profile_line *now = &match->now->lines[line];
    if (match->known[line] || match->base_lines[line] != SIZE_MAX)
        return false;
    return match_has_file(match, now->file) || now->samples >= SAMPLES_SURE;
}

/* Of all samples of a run, those of the line: of a few, a wide interval; not known where there are fewer than `least`. */
static struct estimate part_of(uint64_t samples, const struct profile *profile, double least)
{
    double all = (double)profile->run_samples;
    double z = SURE_Z, n = all, share = n > 0 ? (double)samples / n : 0;
    if (n < least || share > 1)
        return (struct estimate){0};
    double center = (share + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    return (struct estimate){.known = true, .fraction = share, .low = center - half, .high = center + half};
}

enum risen { RISEN_NO, RISEN_YES, RISEN_UNKNOWN };

/* A baseline of a second has few samples: what none of these fell on may still have taken less than most of a run. */
static enum risen has_risen(const struct match *match, size_t line)
{
    size_t before = match->base_lines[line];
    struct estimate now = part_of(match->now->lines[line].samples, match->now, SAMPLES_SURE),
                    was = part_of(before != SIZE_MAX ? match->base->lines[before].samples : 0, match->base, 1);
    if (!now.known || !was.known)
        return RISEN_UNKNOWN;
    return now.low > was.high && now.fraction >= TIMES_MORE * was.fraction ? RISEN_YES : RISEN_NO;
}

/* Does it stand in the baseline, with another text, blanks aside? */
static bool is_edited(const struct match *match, size_t line)
{
    const struct profile_line *now = &match->now->lines[line];
    struct match_place place;
    return !match_row_is_unedited(match, now->file, now->number, &place) && place.line > 0;
}

bool measured_line_is_other(const struct match *match, size_t line)
{
    return match->base->from_run && is_edited(match, line) && has_risen(match, line) == RISEN_YES;
}

/* What the line did before may have taken as long: argpartition() where now all is sorted. */
static bool is_told_by_text(const struct profile_finding *finding)
{
    return strcmp(finding->category, FINDING_SORTED) == 0;
}

static const char *const risen_words[] = {
    [RISEN_NO] = "As far as samples tell, the line may have taken as much of the run in the baseline.",
    [RISEN_YES] = "In the baseline this line took less than half as much of the run, and was no such finding.",
    [RISEN_UNKNOWN] = "Measured, and one of the runs was too short to have enough samples to compare.",
};

enum judged judge_measured(const struct match *match, const struct profile_finding *finding, char **what)
{
    const char *words = "";
    enum judged how = JUDGED_KNOWN;
    if (match == NULL) {
        how = JUDGED_FOUND;
        words = "It rests on samples: no limit counts it, and only a baseline tells whether it is new.";
    } else if (was_found(match, finding)) {
        words = "The baseline has it as well.";
    } else if (measured_line_is_new(match, finding->line)) {
        how = JUDGED_NEW;
        words = "The baseline has no such line.";
    } else if (untold_by_phase(match, finding->line) != NULL) {
        how = JUDGED_UNTOLD;
        words = untold_by_phase(match, finding->line);
    } else if ((!match->base->from_run || is_told_by_text(finding)) && is_edited(match, finding->line) &&
               match->now->lines[finding->line].samples >= SAMPLES_SURE) {
        how = JUDGED_NEW;
        words = "In the baseline the line was another, and no such finding.";
    } else if (!match->base->from_run) {
        how = JUDGED_UNTOLD;
        words = "Measured, and the baseline holds no samples to compare with: give a run as --baseline.";
    } else {
        enum risen risen = has_risen(match, finding->line);
        how = risen == RISEN_YES ? JUDGED_NEW : risen == RISEN_UNKNOWN ? JUDGED_UNTOLD : JUDGED_KNOWN;
        words = risen_words[risen];
    }
    *what = memory_print("%s", words);
    return how;
}
