/* Contents that are new every so many births of a site, and made again in between. */
#ifndef PIEPROF_ANALYZER_RHYTHM_H
#define PIEPROF_ANALYZER_RHYTHM_H

#include "model/model.h"

#define RHYTHM_LONG_BIRTHS                                                                                             \
    200u /* between new contents: two such distances are equal by chance as seldom as many short ones */

/*
 * Does the site make the same content again and again, and a new one only every so many times, since what it is made from
 * changes no more often? So it is where user code, or layers of PyTorch's that it calls, make numbers to the last digit,
 * which come again one right after the other, in a strict rhythm, up to the end. Traps: what is chosen or counted (labels,
 * masks, orders) may stay equal for as long as an input keeps to a rhythm, while another changes a little each time, wherever
 * that is made; the plateau, whose contents change when they happen to; items that come again in any order; what a library
 * makes for its own ends.
 */
bool site_repeats_in_rhythm(struct model *model, const struct site *site);

/* Of such a site: so many births lie between new contents... */
uint64_t site_rhythm(const struct site *site);

/* ... between all of them, or a multiple of that? */
bool site_rhythm_is_whole(const struct site *site);

/* How many contents a rhythm says there are, those that were passed over too; 0 where there is none. */
uint64_t site_rhythm_contents(const struct site *site);

#endif
