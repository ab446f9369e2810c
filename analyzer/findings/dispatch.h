/* Loops that call another function in each pass: "for f in [train, test]: timed(f)". None of these is called again by them. */
#ifndef PIEPROF_ANALYZER_DISPATCH_H
#define PIEPROF_ANALYZER_DISPATCH_H

#include "model/model.h"
#include "python/words.h"

/*
 * By the text: does a function on the way from `node_id` out to the Python frame `around` go by a name that a loop around the latter gives
 * ("targets", as its header has them), whether it is called there or handed on through parameters? Not where it has that name itself, and
 * not for lambdas, methods that Python calls unnamed, and what a function makes anew each time: these may be one and the same in each pass.
 */
bool dispatch_is_by(struct model *model, struct process *process, uint32_t node_id, uint32_t around,
                    struct word targets);

#endif
