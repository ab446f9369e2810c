/*
 * Calls all of whose results are made again: where findings stand at several lines of one function, and nothing that it makes on the way to
 * them is new, what the call returns is what to keep, and their waste is one.
 */
#ifndef PIEPROF_ANALYZER_WHOLE_CALL_H
#define PIEPROF_ANALYZER_WHOLE_CALL_H

#include "findings/finding.h"

/* Of findings in their order: fills `call_s`, `call_samples` and `call_leader` of those that share a call. */
void whole_calls_find(struct model *model);

/* " All larger arrays that the call of f() at train.py:11 makes ...", of the one that leads the others; empty else. Fresh memory. */
char *whole_call_say(struct model *model, const struct finding *finding);

#endif
