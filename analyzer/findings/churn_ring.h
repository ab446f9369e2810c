/*
 * Where several of a line's results are alive at once: are they let go in the order in which they are made, so that as many buffers will
 * do in turn? One that is kept as the best so far outlives later ones, and would be written over.
 */
#ifndef PIEPROF_ANALYZER_CHURN_RING_H
#define PIEPROF_ANALYZER_CHURN_RING_H

#include "findings/sites.h"

/*
 * By the text of the line's function, and of those that it returns them to: other names, and lists, are given what the line makes right
 * where it is made, and nowhere on a condition. What is not understood is no such order.
 */
bool churn_is_in_turn(struct model *model, const struct site *site);

#endif
