/* What the counters of a site say of its objects, before any rule. */
#ifndef PIEPROF_ANALYZER_SITE_COUNTS_H
#define PIEPROF_ANALYZER_SITE_COUNTS_H

#include "model/model.h"

/* Objects that could be results: neither workspaces nor left as they were born. Where a part was looked at, as many as its share. */
uint64_t site_results(const struct site *site);

/* Were all births looked at, or all that were alike in that? */
bool site_results_are_known(const struct site *site);

/* Objects of a site whose content is new there: neither constant nor equal to an earlier one of the site. */
uint64_t site_new(const struct site *site);

/* ... and no copies of what another site made. */
uint64_t site_fresh(const struct site *site);

/* The first of the new ones speaks neither way: where sizes vary, many are made once. */
uint64_t site_first(const struct site *site);

/* Were its first new contents numbers with digits to the last, as what is computed has them, and labels, masks and counts have not? */
bool site_new_has_digits(const struct site *site);

/* Of a site that has few new contents: are all that were measured, one at least? */
bool site_new_are_digits(const struct site *site);

/*
 * Its period in results; 0 without one, and where most equal objects are not that far apart. The recorded period counts
 * births, workspaces between the results too, so that it may be longer than there are contents. Of a site that repeats far
 * only: that of the far history.
 */
uint32_t site_period(const struct site *site);

/* Do nearly all of its replicas equal the one before? */
bool site_equals_last(const struct site *site);

/* ... or the one a period before, of which all births between two contents that came again are a part? */
bool site_equals_at_period(const struct site *site);

/*
 * How many new contents each burst of them has (db.h), no more than a period has births; 0 where that differs from one to the next, or is
 * not known. The layers of a network that goes through a new input come in such bursts.
 */
uint64_t site_new_of_burst(const struct site *site);

#endif
