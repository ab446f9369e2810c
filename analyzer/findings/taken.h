/* What is taken of a call's result, by the text: a few from one end, or one. */
#ifndef PIEPROF_ANALYZER_TAKEN_H
#define PIEPROF_ANALYZER_TAKEN_H

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

/* What the call puts in order: along an axis that its arguments tell, or rows. */
enum taken_along { TAKEN_ALONG_AXIS, TAKEN_ALONG_ROWS };

/*
 * What is taken of what the call at the Python frame (node id) gives, in its own expression or by every mention of the names that it is
 * given to. False where it may be more than a few, along another axis, or is not known (before CPython 3.11).
 */
bool taken_of_call(struct model *model, struct process *process, uint32_t frame, enum taken_along along,
                   struct taken *taken);

#endif
