/* Time below installed packages that are none of the foundations (torch, numpy, ...). */
#ifndef PIEPROF_ANALYZER_PACKAGES_H
#define PIEPROF_ANALYZER_PACKAGES_H

#include "model/model.h"

/*
 * The package, called from the user's lines, that most time was spent below: imports left out. NULL: there is none. `*ns`: that
 * time, or 0. Of more than a few dozen packages those that are met first are looked at.
 */
const char *packages_heaviest(const struct model *model, uint64_t *ns);

#endif
