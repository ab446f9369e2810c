/* Activation checkpointing: what a forward pass made is made again in the backward one, so as not to be kept. */
#ifndef PIEPROF_ANALYZER_CHECKPOINT_H
#define PIEPROF_ANALYZER_CHECKPOINT_H

#include "model/model.h"

enum checkpoint {
    CHECKPOINT_NONE,
    CHECKPOINT_AROUND, /* the user's code that makes the objects runs below one */
    CHECKPOINT_ITSELF, /* it makes them itself: the generator's state, which it keeps for the second pass */
};

/* By the files of the Python frames of the site's context. */
enum checkpoint site_checkpoint(struct model *model, const struct site *site);

#endif
