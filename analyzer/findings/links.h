/* Of objects that were equal to what another site had just made. */
#ifndef PIEPROF_ANALYZER_LINKS_H
#define PIEPROF_ANALYZER_LINKS_H

#include "model/model.h"

/* The site whose objects those of `second` equal most often; it has a link. */
const struct site *links_first(const struct site *second);

/*
 * Where each of a site's contents, when it came first, was that of another site's of its line and size: that one, or whom that follows. The
 * site itself else.
 */
const struct site *links_origin(const struct site *site);

/*
 * Where the origins of the sites of a line lie: do all that lie on the `ways` of these sites lie on one, and the others on one? Then what the ways
 * make is the same: one of them was the first, but for what still lived when the next made its own.
 */
bool links_are_of_one(const uint64_t *origins, size_t origin_count, const uint64_t *ways, size_t way_count);

#endif
