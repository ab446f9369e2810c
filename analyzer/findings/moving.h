/* Native functions whose result is their argument, or parts of it: data moved, nothing computed. */
#ifndef PIEPROF_ANALYZER_MOVING_H
#define PIEPROF_ANALYZER_MOVING_H

#include "model/model.h"

/* Does the site's native call only move data? By the names of its functions: false where the library has none. */
bool site_moves(struct model *model, const struct site *site);

#endif
