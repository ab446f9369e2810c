/* Does what an expression is made from come from the very loop around it? */
#ifndef PIEPROF_ANALYZER_LOOP_FEEDS_H
#define PIEPROF_ANALYZER_LOOP_FEEDS_H

#include "findings/loop.h"

/*
 * By the text: does the instruction of the Python frame `node_id` name what the loop's header gives ("for n in ..."), or what the rows
 * between compute from that? Outside of this loop it has no value. False for loops of other functions, and where no text is known.
 */
bool loop_feeds(struct model *model, struct process *process, uint32_t node_id, struct loop loop);

/*
 * By the text: does the instruction name what the innermost loop around it, in its own function, adds to, or changes by another operator
 * ("pace += 0.1"), or gives an item or attribute by what it held ("x[i] = f(x[i])")? Then what it is made from is another in each round.
 */
bool loop_augments(struct model *model, struct process *process, uint32_t node_id);

/* By the text of its rows: does it put anything together with what was there ("x = np.vstack([x, row])", "xs.append(x)")? */
bool loop_joins(struct model *model, struct loop loop);

#endif
