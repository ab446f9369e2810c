/* Two calls that clear, the one what the other has cleared: is that all of it, by their texts? */
#ifndef PIEPROF_ANALYZER_SAME_CLEAR_H
#define PIEPROF_ANALYZER_SAME_CLEAR_H

#include "model/model.h"

/*
 * Of calls that clear gradients, of which there are many arrays, the sampled elements do not tell: both may be of what two models share.
 * True of others, which store into the array that they name, but where the text
 * names that in between. Node ids of one process.
 */
bool same_clear(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node);

#endif
