/* Which functions a pass of a loop may run, by the names in the text. */
#ifndef PIEPROF_ANALYZER_REGION_REACH_H
#define PIEPROF_ANALYZER_REGION_REACH_H

#include "python/region.h"

/* Adds all functions whose names stand in what is there already, as such or behind a dot; once for what was looked at before. */
void region_reach(struct region *region);

#endif
