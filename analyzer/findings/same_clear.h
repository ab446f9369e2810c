/* Two calls that clear, the one what the other has cleared: is that all of it, by their texts? */
#ifndef PIEPROF_ANALYZER_SAME_CLEAR_H
#define PIEPROF_ANALYZER_SAME_CLEAR_H

#include "findings/meanwhile.h"
#include "model/model.h"

/*
 * Of calls that clear gradients, of which there are many arrays, the sampled elements do not tell: both may be of what two models share.
 * Nor do they, of others, where a few elements change in between: nothing that the text shows there may have to do with the
 * array. MEANWHILE_OPEN: no. Node ids of one process.
 */
enum meanwhile same_clear(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node);

#endif
