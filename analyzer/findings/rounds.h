/* Contents that are new once in each round of a loop, and then made again within it. */
#ifndef PIEPROF_ANALYZER_ROUNDS_H
#define PIEPROF_ANALYZER_ROUNDS_H

#include "findings/loop.h"
#include "model/model.h"

/*
 * Does the site make the same content again and again within its loop, and a new one in each round of a loop around that?
 * Its new contents are then as many as the objects of something that stands in the outer loop alone, and come at equal
 * distances where the inner loop has as many rounds each time. A plateau has neither that number nor that rhythm: its
 * contents change when they happen to. Of few rounds the rhythm is asked for, of very few both.
 */
bool site_repeats_in_rounds(struct model *model, const struct site *site);

/*
 * The row of a comprehension that is the nearest loop around, where something that stands in the loop around it, and not in it, is made as often
 * as the site has new contents. No file: there is none.
 */
struct loop site_rounds_comprehension(struct model *model, const struct site *site);

/* Does something stand in the outer loop alone that is made as often as the site has new contents? */
bool site_rounds_are_seen(struct model *model, const struct site *site);

#endif
