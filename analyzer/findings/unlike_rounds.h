/* Contents that come again in rounds of unlike length, so that no distance is that of most. */
#ifndef PIEPROF_ANALYZER_UNLIKE_ROUNDS_H
#define PIEPROF_ANALYZER_UNLIKE_ROUNDS_H

#include "model/model.h"

/*
 * Does each round make all again that those before it made, and as many new ones each time, as an ensemble that is evaluated for each member
 * that comes to it, or a sequence that is gone through again for each of its steps? By the distances of what is new (db_site.new_growing).
 */
bool site_rounds_grow(const struct site *site);

/*
 * Does the first round make all that there is, and each other one a part of that, as "for i ...: for j in range(i + 1, n)", or all of it in
 * another order?
 */
bool site_first_makes_all(const struct site *site);

/*
 * Does it make a few contents all the time, in no order: the features of a dozen tasks, of which one is chosen for each step? Nearly all come
 * again, to the last, and are numbers with digits.
 */
bool site_takes_from_few(const struct site *site);

/* One of these. */
bool site_rounds_are_unlike(const struct site *site);

#endif
