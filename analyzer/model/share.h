/* Shares with their uncertainty. */
#ifndef PIEPROF_ANALYZER_SHARE_H
#define PIEPROF_ANALYZER_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* Below this many pairs a share is not told. */
#define SHARE_PAIRS_MIN 10u

struct estimate {
    bool known; /* enough pairs */
    double fraction, low, high;
};

/* `wasted` of `pairs`, with the 95 % score interval of Wilson (1927), which holds for shares near 0 and 1 too. */
struct estimate share_estimate(uint64_t wasted, uint64_t pairs);

#endif
