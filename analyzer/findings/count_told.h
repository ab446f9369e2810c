/* How many a count in a program's text is, where the text tells: a number, or a name that stands for one. */
#ifndef PIEPROF_ANALYZER_COUNT_TOLD_H
#define PIEPROF_ANALYZER_COUNT_TOLD_H

#include "model/model.h"
#include "python/words.h"

#define COUNT_OPEN UINT64_MAX

/*
 * Of "5", "k", "k + 1" in the code of the Python frame (node id): `k` is given numbers alone in its function or else in its module, or is a
 * parameter, and the call on this frame's way hands it one, or its default holds. The largest of several; COUNT_OPEN where the text does
 * not tell: attributes, results of calculations, what stands in other files.
 */
uint64_t count_told(struct model *model, struct process *process, uint32_t frame, struct word count);

#endif
