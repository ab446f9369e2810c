/*
 * Does anything tell that what is taken of a sort's result is few? Its slice's text alone does not: "[:, :keep]" may be nearly all.
 * The text does where the count is a number, or a name that stands for one, small against the object; and so do the objects made
 * of what is taken, where none is more than a little of the result's size. Where neither tells, it is not told.
 */
#ifndef PIEPROF_ANALYZER_FEW_TOLD_H
#define PIEPROF_ANALYZER_FEW_TOLD_H

#include "findings/taken.h"
#include "model/model.h"

/* `frame`: the Python frame (node id) in whose code the uses stand. `looks`: how many sites may still be looked at, for all questions together. */
bool few_is_told(struct model *model, const struct site *site, uint32_t frame, const struct taken *taken,
                 uint64_t *looks);

#endif
