/* Native functions whose result is their argument, parts of it, or what stands in a file: data moved, nothing computed. */
#ifndef PIEPROF_ANALYZER_MOVING_H
#define PIEPROF_ANALYZER_MOVING_H

#include "model/model.h"

/*
 * Does the site's native call only move data? A copy that a library's own function then works in, as numpy.sort does, is a
 * result. By the names of its functions, and by the text of the Python expression: false where the
 * library has no names and Python no columns (before 3.11).
 */
bool site_moves(struct model *model, const struct site *site);

/* Does it only move data, and put parts of several together, as numpy.stack() and torch.cat() do? As site_moves() knows it. */
bool site_joins(struct model *model, const struct site *site);

#endif
