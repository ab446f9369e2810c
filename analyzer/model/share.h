/* Shares with their uncertainty. */
#ifndef PIEPROF_ANALYZER_SHARE_H
#define PIEPROF_ANALYZER_SHARE_H

#include <stdbool.h>

#include "model/model.h"

/* Below this many pairs a share is not told. */
#define SHARE_PAIRS_MIN 10u

struct estimate {
    bool known; /* enough pairs */
    double fraction, low, high;
};

/* By how much what is wasted beyond `fraction` of all varies, were what each pair stands for known: a ratio of sums, linearised. */
double weights_variance(const struct weights *weights, double fraction);

/*
 * The wasted part by weight, with the 95 % score interval of Wilson (1927), which holds for shares near 0 and 1 too. Its
 * number of observations is that of equally weighted ones with the same variance.
 */
struct estimate share_estimate(const struct share *share);
/* The same over the pairs whose accesses lie in different native calls. */
struct estimate share_estimate_across(const struct share *share);
/* Of things that count alike, beside some of which it is open whether they are part of it. */
struct estimate share_estimate_counts(uint64_t part, uint64_t whole, uint64_t undecided);
/* The needless part of all. */
struct estimate share_estimate_needless(const struct share *share);
/* ... with an interval of `z` standard deviations to each side in place of those of 95 %, however few the pairs. */
struct estimate share_estimate_needless_within(const struct share *share, double z);

#endif
