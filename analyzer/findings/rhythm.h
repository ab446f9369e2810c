/* Contents that are new every so many births of a site, and made again in between. */
#ifndef PIEPROF_ANALYZER_RHYTHM_H
#define PIEPROF_ANALYZER_RHYTHM_H

#include "model/model.h"

/* So many births lie between new contents of the site, or a multiple of that; 0 where that is not known, or hardly any come again. */
uint64_t site_rhythm(const struct site *site);

/* Are there so many of them that it is no chance? */
bool site_is_in_rhythm(const struct site *site);

/* Between all of them, not a multiple? */
bool site_rhythm_is_whole(const struct site *site);

enum rhythm {
    RHYTHM_NONE,
    RHYTHM_OF_ROUNDS,   /* each round of the loop makes one, and every so-many-th a new one */
    RHYTHM_WITHIN_ROUND /* each round makes so many that are equal, in a loop of a library: a model's layers */
};

/*
 * How does the rhythm lie to the rounds of the nearest loop of user code? None: what the site makes changes when it happens to, as a
 * plateau's contents do, or less often than what it is made from; or nothing tells how many rounds the loop has; or it is made
 * within a library for its own ends.
 */
enum rhythm site_rhythm_in_loop(struct model *model, const struct site *site);

#endif
