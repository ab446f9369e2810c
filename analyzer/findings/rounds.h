/* Contents that are new once in each round of a loop, and then made again within it. */
#ifndef PIEPROF_ANALYZER_ROUNDS_H
#define PIEPROF_ANALYZER_ROUNDS_H

#include "findings/loop.h"
#include "model/model.h"

/*
 * Does the site make the same content again and again within its loop, and a new one in each round of a loop around that? Or several,
 * as the layers of a network do, which come round by turns, and all new ones in each round of the outer loop?
 * Its new contents are then as many as the objects of something that stands in the outer loop alone, and come at equal
 * distances where the inner loop has as many rounds each time. A plateau has neither that number nor that rhythm: its
 * contents change when they happen to. Of few rounds the rhythm is asked for, of very few both.
 */
bool site_repeats_in_rounds(struct model *model, const struct site *site);

/* Does each content stay for a round of equal length, and return in a later one? Then `period_replicas` are equal to the one before. */
bool site_returns_in_rounds(const struct site *site);

/*
 * The loop that makes the same again and again, a comprehension's row it may be: the nearest around which something stands, in a loop
 * around that, which is made as often as there are rounds of new contents. No file: there is none.
 */
struct loop site_rounds_loop(struct model *model, const struct site *site);

/* Births were passed over, and by the text that loop itself, the nearest, changes what it makes of them: between two that were looked at it may. */
bool site_changes_unseen_in_round(struct model *model, const struct site *site);

#endif
