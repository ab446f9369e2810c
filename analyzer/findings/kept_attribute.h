/* Does "self.x" hold the same array, with the same content, in each round of a loop? By the text. */
#ifndef PIEPROF_ANALYZER_KEPT_ATTRIBUTE_H
#define PIEPROF_ANALYZER_KEPT_ATTRIBUTE_H

#include "findings/kept_ways.h"
#include "findings/loop.h"
#include "model/model.h"

/*
 * Of the attribute `dotted` of the call that a Python frame stands at, the innermost of the ways' levels: its class gives it new memory
 * alone, the files on the way do nothing with attributes of that name but compute with them, and the outermost loop, which is `loop`, leaves
 * it as it is. Which object of the class it is of, is not asked.
 */
bool kept_attribute(struct model *model, struct process *process, uint32_t frame, const struct kept_ways *ways,
                    struct word dotted, struct loop *loop);

#endif
