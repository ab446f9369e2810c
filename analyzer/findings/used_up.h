/* What an expression uses up (python/uses_up.h): the same may come of it each time, but it is not made of the same. */
#ifndef PIEPROF_ANALYZER_USED_UP_H
#define PIEPROF_ANALYZER_USED_UP_H

#include "model/model.h"
#include "python/words.h"

/* The name of the call that does, in the text of the instruction at a Python frame; empty where none does, or no text is known. */
struct word used_up_by(struct model *model, struct process *process, uint32_t frame);

/* For whoever keeps a site's result: that call is needed as often as now. Empty where there is none. Fresh memory. */
char *used_up_say(struct model *model, const struct site *site);

#endif
