/* What a call spends on those of its results that differ each time, where others are the same. */
#ifndef PIEPROF_ANALYZER_NEEDED_TIME_H
#define PIEPROF_ANALYZER_NEEDED_TIME_H

#include "model/model.h"

/*
 * CPU time, in nanoseconds, of native code charged to the place, below the instructions of the foundations' Python that make
 * objects there most of which differ, and none of those `sites`, which are the same again: a network's layers, where what is
 * made again are weights that a parametrization makes from its parameters.
 */
uint64_t needed_time(struct model *model, const struct place *place, const struct site *const *sites, size_t count);

#endif
