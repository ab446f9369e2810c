/* How far a thread was beyond the making of an object when something happened to it, as db_site counts frames. */
#ifndef PIEPROF_ANALYZER_BEYOND_H
#define PIEPROF_ANALYZER_BEYOND_H

#include "model/model.h"

/* The outermost of so many Python frames, leaf first, if the line's is one of them; else, and where there are fewer, 0. */
uint32_t beyond_frame(struct model *model, const struct site *site, uint32_t count);

#endif
