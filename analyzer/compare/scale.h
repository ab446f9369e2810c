/*
 * How many times as long as the baseline's a run is, and how many times as large its data: lines that stand in both and were not edited
 * tell, each by its results. How many workspaces a library takes for one is its version's affair.
 */
#ifndef PIEPROF_ANALYZER_SCALE_H
#define PIEPROF_ANALYZER_SCALE_H

#include "compare/profile.h"

struct match;

#define LENGTH_DIFFERS 0.1 /* runs are of other lengths where what one makes is more than the other's by so much */

/* Of the waste's births: lines with fewer may be set-up, executed once in runs of any length. */
#define SET_UP_PART 0.25

static inline bool lengths_differ(double one, double other)
{
    return one > (1 + LENGTH_DIFFERS) * other || other > (1 + LENGTH_DIFFERS) * one;
}

/* Of one line, all 0 where it was edited or is not in both. */
struct scale {
    double before;     /* results in the baseline */
    double results;    /* how many times as many now; 0: there were none */
    double bytes_each; /* how many times as large they are */
    double anew; /* of the results now those for which a row of the user's called that the baseline does not have */
    double anew_again; /* of these, those that were made before */
};

struct scales {
    struct scale *of;   /* each line of the run that is judged */
    double most_before; /* results of any of these lines in the baseline */
    double most_bytes_each;
    bool other_length; /* any of these lines makes more or fewer now */
};

/* `match` is made but for its scales, which are `scales`. Free with scales_free. */
void scales_make(struct scales *scales, const struct match *match);
void scales_free(struct scales *scales);

/*
 * The innermost row on a way that the baseline does not have, or that was edited and was on none of the ways to the line there; NULL: there is
 * none.
 */
const struct profile_row *way_new_row(const struct match *match, const struct profile_way *way,
                                      const struct profile_line *there);

/* Of all phases, as all that is told here: a run is as long, and its data as large, whichever phase is asked for. */
uint64_t line_results(const struct profile_line *line);

#endif
