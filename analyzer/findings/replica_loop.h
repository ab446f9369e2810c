/* Which loop makes again what a line already had (replica.c), and is to be named. */
#ifndef PIEPROF_ANALYZER_REPLICA_LOOP_H
#define PIEPROF_ANALYZER_REPLICA_LOOP_H

#include "findings/finding.h"
#include "findings/loop.h"

#define REPLICA_LOOPS_MAX 4u /* so many are named */

/* Do the inputs stay in the nearest loop, and go from one to the next in the one around: by their sizes, or by its header? */
bool replica_is_of_round(struct model *model, const struct site *site);

/* Do its inputs change, if more seldom than it is made? */
bool replica_has_moving_inputs(struct model *model, const struct site *site);

/* Has it a new content once in so many births, with nothing around its loop that would say why, or does that loop itself change its inputs? */
bool replica_is_told_by_rhythm(struct model *model, const struct site *site);

/* Does one call make several sizes, each of which is to be kept? Where sizes go with the round of a loop, one is, for that long. */
bool replica_is_for_each_size(struct model *model, const struct finding *finding);

/* Do several contents come round within each round, by a loop of the program's that brings them? */
bool replica_comes_round_in_rounds(struct model *model, const struct finding *finding);

/* Does it change with what its function is handed, and not in the loop there? */
bool replica_is_within_function(struct model *model, const struct finding *finding);

/*
 * Several contents come again, and more than one loop around the innermost, which makes them, may be what brings them: the text of a
 * program does not say how often a loop goes round. How many loops there are, that one too; 0 where there is no such doubt.
 */
size_t replica_loops_in_doubt(struct model *model, const struct finding *finding, struct loop *loops);

/* The outermost around it: of a function that ran once, the one in it. A comprehension where no other loop is around. */
struct loop replica_loop_outermost(struct model *model, const struct site *site);

/*
 * All of one size are the same: of the loops within the one that goes from size to size the outermost, where the text shows which that is. No
 * file: it does not.
 */
struct loop replica_loop_within_sizes(struct model *model, const struct site *site);

/*
 * The loop outside of which it is to be made; of contents that come round (`again`), the one that goes through a period. No file: none is
 * known, or the ways to the line have loops of their own.
 */
struct loop replica_loop(struct model *model, const struct finding *finding, bool again);

#endif
