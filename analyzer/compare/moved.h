/* Waste that only moved: what its parts of judge_moved() (judge.h) share. */
#ifndef PIEPROF_ANALYZER_MOVED_H
#define PIEPROF_ANALYZER_MOVED_H

#include "compare/judge.h"

#define MOVED_ALIKE 0.002 /* of sums: of places that were looked at in part they are estimates */

/* What is gone at one line and new at one or several, and the reverse; moved_parts.c. */
void moved_split(struct judgement *judgement, const struct match *match, double increase_percent);
void moved_joined(struct judgement *judgement, const struct match *match);

/* By the sums of rows that were edited together, and of all that were edited; moved_sums.c. */
void moved_edited_together(struct judgement *judgement, const struct match *match);
void moved_conserved(struct judgement *judgement, const struct match *match);

/* Of each line of the run that is judged: is all it repeats told as moved, or accepted? Fresh memory. */
bool *moved_settled_lines(const struct judgement *judgement, const struct match *match);

/* Judges the item as moved; `what` says so, and is freed. */
void moved_tell(struct judgement *judgement, struct judged_item *item, char *what);

/* Takes an item of what is gone out: it is told by where it went. Those behind it shift. */
void moved_drop(struct judgement *judgement, size_t index);

/* "made ... again". */
const char *moved_as_much(bool other_length);

#endif
