/* Results that stay equal though a loop changes what they are computed from: a comparison, a rounding, an order. */
#ifndef PIEPROF_ANALYZER_INPUTS_CHANGE_H
#define PIEPROF_ANALYZER_INPUTS_CHANGE_H

#include "model/model.h"

/*
 * By the text of the program's own files: does the outermost loop around the site change what its expression takes? What it stores into, adds to
 * or makes of what a pass before left; what its header counts; what a function that it calls does so to an argument, an attribute or a
 * name outside of it; parameters that an optimizer steps. Values are followed through assignments and from parameters to arguments, but not what is asked
 * for its shape. False too where no columns are known (before CPython 3.11), or no loop.
 */
bool site_inputs_change(struct model *model, const struct site *site);

#endif
