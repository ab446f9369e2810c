/* What the baseline's run made again of what a finding of the run that is judged tells, and whether that is as much. */
#ifndef PIEPROF_ANALYZER_BEFORE_H
#define PIEPROF_ANALYZER_BEFORE_H

#include "compare/judge.h"

/* What of the baseline a finding stands for: its line, found again, or that of the finding with its id. NULL: none. */
const struct profile_line *before_line(const struct match *match, const struct profile_finding *finding);

/*
 * By counts: made again at least so often before, for each birth? And in all, where the runs are of one length: a mean rises
 * where the smaller waste is mended. `now` is what the finding's line made again, `*there` becomes what the baseline's did.
 */
enum judged before_judge(const struct match *match, const struct profile_line *before,
                         const struct profile_finding *finding, const struct repeated *now,
                         const struct gate_options *options, struct repeated *there);

/* What repeated throughout, if anything did: that is what a finding counts, too. */
struct repeated before_firm(const struct repeated *there);

/*
 * Does the run that is judged still make again what the baseline's finding tells? By counts too: which of its lines are findings
 * depends on time.
 */
bool before_is_still_there(const struct match *match, const struct profile_finding *finding);

#endif
