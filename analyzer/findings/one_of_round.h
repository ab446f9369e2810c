/* Results of one instruction that come by turns, some of which are the same in each round, and the others new. */
#ifndef PIEPROF_ANALYZER_ONE_OF_ROUND_H
#define PIEPROF_ANALYZER_ONE_OF_ROUND_H

#include "model/model.h"

/*
 * How many of the results of a round (`site_period()` of them) stay: as many in each round of the whole run, at the same place in it, of many
 * rounds, of numbers with digits. 0: that is not so.
 */
uint64_t site_staying_of_round(const struct site *site);

#endif
