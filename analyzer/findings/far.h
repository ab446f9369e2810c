/* Contents that come again later than the near history reaches, or in another order (db.h, db_site.far_...). */
#ifndef PIEPROF_ANALYZER_FAR_H
#define PIEPROF_ANALYZER_FAR_H

#include "model/model.h"

/*
 * Does the site make the same contents in each round of something, over the whole run, and does only the far history say
 * so? Each content then came about equally often, a round after the other.
 */
bool site_repeats_far(const struct site *site);

/*
 * Does the far history of most of the run show replicas that the near one does not reach? It begins some births later than the near
 * one: were it asked for a share, what changed before it began, and stayed from then on, would seem to come again all the time.
 */
bool far_shows_more(const struct db_site *record);

/* Of its selected contents' objects: those that are not the first. */
uint64_t site_far_replicas(const struct site *site);

/* Such a site's distance between equal objects, in results; 0 where they come in another order each time. */
uint32_t site_far_period(const struct site *site);

/* Does one distance stand out, if not for most: rounds of unlike length, as the batches of two data sets by turns? */
bool site_far_takes_turns(const struct site *site);

/* About how many results a round of it has. */
uint64_t site_far_round(const struct site *site);

/* Is there another site of the place for which that is so? */
bool place_repeats_far(struct place *place);

#endif
