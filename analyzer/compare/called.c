/*
 * A known waste at a line that was not edited, and which new rows call beside those that called it before, or rows that were edited
 * and did not: for each birth it is what it was. Lines that no new row calls say how long the run is: what is more than that, the new rows
 * made. Calls that only moved make no more. Nor do new rows that have something else computed each time: what they make anew is left out.
 */
#include <math.h>

#include "compare/judge.h"
#include "compare/length.h"

/* So much more, where the old rows do not call as often: those moved, and how often what they call runs may vary as data have it. */
#define MOVED_CALLS_LEAST 0.5

/* For how many results a line was called: in the baseline, and now by rows that the baseline has. */
struct calls {
    double before, old;
};

/* The new row that calls for most of what a line makes again. */
static const struct profile_row *main_caller(const struct match *match, const struct profile_line *line,
                                             const struct profile_line *there)
{
    const struct profile_row *caller = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < line->way_count; i++) {
        const struct profile_row *row = way_new_row(match, &line->ways[i], there);
        if (row == NULL || line->ways[i].again <= most)
            continue;
        most = line->ways[i].again;
        caller = row;
    }
    return caller;
}

static double all_again(const struct profile_line *line)
{
    double again = 0;
    for (size_t i = 0; i < line->way_count; i++)
        again += (double)line->ways[i].again;
    return again;
}

/* Of a line that makes something else as well, as for batches, what it makes again counts; how long a plateau lasts is a matter of data. */
static struct calls calls_of(const struct match *match, const struct profile_finding *finding,
                             const struct repeated *there)
{
    const struct profile_line *line = finding_line(match->now, finding);
    const struct scale *scale = &match->scales.of[finding->line];
    if (there->plateau)
        return (struct calls){scale->before, (double)line_results(line) - scale->anew};
    return (struct calls){fmin(scale->before, (double)there->births), all_again(line) - scale->anew_again};
}

bool judge_has_new_caller(const struct match *match, const struct profile_finding *finding,
                          const struct repeated *there, double increase_percent, struct new_caller *caller)
{
    const struct profile_line *line = finding_line(match->now, finding);
    const struct scale *scale = &match->scales.of[finding->line];
    if (scale->anew <= 0)
        return false;
    const struct calls calls = calls_of(match, finding, there);
    double before = calls.before * length_factor_beside(match, calls.before, calls.old),
           now = calls.old + scale->anew_again, increase = increase_percent / 100;
    bool beside = calls.old >= before / (1 + LENGTH_DIFFERS);
    if (before <= 0 || now <= (1 + (beside ? increase : fmax(increase, MOVED_CALLS_LEAST))) * before ||
        scale->anew_again < now - (1 + LENGTH_DIFFERS) * before)
        return false;
    *caller = (struct new_caller){main_caller(match, line, &match->base->lines[match->base_lines[finding->line]]),
                                  scale->anew_again, all_again(line)};
    return caller->row != NULL;
}
