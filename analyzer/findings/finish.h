/* The lines that finish a buffer which another one makes: where that is made again, they are run again for nothing, too. */
#ifndef PIEPROF_ANALYZER_FINISH_H
#define PIEPROF_ANALYZER_FINISH_H

#include "findings/changed.h"
#include "findings/finding.h"

/*
 * Of the buffer that the finding's line gives a name, which need not be the largest: that may be a step on the way to it. What is new each
 * time is not kept, whatever stores into it.
 */
void finish_find(struct model *model, const struct finding *finding, struct changed *changed);

/* What these lines take in all. */
double finish_seconds(const struct model *model, const struct changed *changed);

/*
 * Adds to the waste of each finding of rule replica what its finishing lines in the same function take, by the share that is equal; each
 * line to one finding alone, less what it has of its own, and none that may finish other buffers. Not where the finding's line makes results that
 * differ, which the same lines finish. Where the function returns that buffer and does nothing else, the rest of it is for that, too.
 */
void finish_add(struct model *model);

/* Charges these lines with it. */
void finish_charge(struct model *model, const struct finding *finding);

#endif
