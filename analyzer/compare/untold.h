/*
 * Findings at lines of which nothing shows that the baseline's code would not have had them: its run could not show them, for it was
 * too short, of other data, or looked at in part.
 */
#ifndef PIEPROF_ANALYZER_UNTOLD_H
#define PIEPROF_ANALYZER_UNTOLD_H

#include "compare/judge.h"

/*
 * Is a finding at a line that was not edited what the baseline's code would have in a run as long as this one? Its contents come
 * round - the batches of an epoch, examples in another order - and the shorter run repeated as many of them as it could.
 */
bool untold_by_length(const struct match *match, const struct profile_finding *finding);

/*
 * Of runs of which one phase is asked for: did the line of the baseline work in other phases alone? What it repeated there is not held
 * against this one, whose frames may only be told apart in another way now. A sentence; NULL: no.
 */
const char *untold_by_phase(const struct match *match, size_t line);

/* Why whether the baseline's code had a finding cannot be told, with the remedy; NULL: it can. `now` is what its line made again. */
const char *untold_why(const struct match *match, const struct profile_finding *finding, const struct repeated *now);

#endif
