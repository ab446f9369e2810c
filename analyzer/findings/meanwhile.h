/* What a program runs between two of its stores, by the text of the rows that lead from the one to the other. */
#ifndef PIEPROF_ANALYZER_MEANWHILE_H
#define PIEPROF_ANALYZER_MEANWHILE_H

#include "model/model.h"
#include "python/words.h"

enum meanwhile {
    MEANWHILE_OPEN,  /* it may store into the array, or read it; or the text does not tell */
    MEANWHILE_STILL, /* nothing of that, and the second stands behind the first */
    MEANWHILE_ROUND  /* nothing of that, and the second is that of a loop's next round */
};

/* `buffer`: what both calls' texts name; empty where that is not known. Node ids of one process. */
enum meanwhile meanwhile_of(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node,
                            struct word buffer);

#endif
