/* Of objects that were equal to what another site had just made. */
#ifndef PIEPROF_ANALYZER_LINKS_H
#define PIEPROF_ANALYZER_LINKS_H

#include "model/model.h"

/* The site whose objects those of `second` equal most often; it has a link. */
const struct site *links_first(const struct site *second);

/* Of those on a third line, that whose objects these equal most often, if that is not seldom; NULL: none. */
const struct site *links_another_first(const struct site *second);

/*
 * Where each of a site's contents, when it came first, was that of another site's of its line and size: that one, or whom that follows. The
 * site itself else.
 */
const struct site *links_origin(const struct site *site);

/* Of a site of a line: which Python instruction makes it, on whatever way, and on which way its origin lies. */
struct links_source {
    uint64_t instruction, way;
};

/*
 * Do the origins of what an instruction makes lie on one way, for each of them? Then what the line's ways make is the same. Sorts them. What
 * still lived when the next was made is followed further back than what did not.
 */
bool links_are_of_one(struct links_source *sources, size_t count);

#endif
