/*
 * Does anything tell that what is taken of a sort's result is few? Its slice's text alone does not: "[:, :keep]" may be nearly all.
 * The text does where the count is a number, or a name that stands for one, small against the object; and so do the objects made
 * of what is taken, where none is more than a little of the result's size. Where neither tells, it is not told.
 */
#ifndef PIEPROF_ANALYZER_FEW_TOLD_H
#define PIEPROF_ANALYZER_FEW_TOLD_H

#include "model/model.h"
#include "python/part_taken.h"
#include "python/words.h"

#define TAKEN_MAX 16u

/* A slice of a result where it is used, in source_code(): "order[:, :5]", and of it "[:, :5]". */
struct taken_use {
    struct word whole, slice;
    bool of_all; /* of the result itself, in one order or the other, not of a part: "order[0][:5]" */
};

/* All that is taken of a result. */
struct taken {
    struct taken_use uses[TAKEN_MAX];
    size_t count;
    const char *text; /* that it stands in */
    enum part_of of;  /* what the call gives, or the name that is read */
    bool is_open; /* it may be taken along another axis than the sorted one, whatever its count: objects alone tell */
};

/* `frame`: the Python frame (node id) in whose code the uses stand. `looks`: how many sites may still be looked at, for all questions together. */
bool few_is_told(struct model *model, const struct site *site, uint32_t frame, const struct taken *taken,
                 uint64_t *looks);

#endif
