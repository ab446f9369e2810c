/* Results whose size goes with the round of a loop: what a mask selects of each fold. */
#ifndef PIEPROF_ANALYZER_SIZE_ROUNDS_H
#define PIEPROF_ANALYZER_SIZE_ROUNDS_H

#include "model/model.h"

/*
 * Is the site's size one of several of its instruction, each of which held one content for as many births as any other, one size after the
 * other? Then the loop that makes the same again stands in another, in whose rounds the content is a new one. A plateau's sizes stay for
 * as long as it happens; those of batches come by turns.
 */
bool site_size_is_of_round(const struct site *site);

/* ... or may be so, where the text says that a loop around goes from one to the next: two sizes do. */
bool site_size_may_be_of_round(const struct site *site);

/* Is each size of its instruction larger than all before, or smaller? Where what it is made from grows, none is there before its time. */
bool site_sizes_grow(const struct site *site);

/* Did its instruction make it again after others, as far as is known? */
bool site_size_takes_turns(const struct site *site);

#endif
