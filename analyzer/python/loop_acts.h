/* Statements of a loop's body that no call on whole arrays could stand for. */
#ifndef PIEPROF_ANALYZER_LOOP_ACTS_H
#define PIEPROF_ANALYZER_LOOP_ACTS_H

#include <stdbool.h>

#include "model/source.h"
#include "python/words.h"

/*
 * Adds the functions that it calls which may be the program's own, and are no formulas (formula.h) of the file: such a function may remember,
 * and what it gives for one element depend on those before. `outer`: what the formulas take beside their arguments.
 */
void loop_others_add(struct words *others, struct words *outer, const struct source *code, struct word statement);

/* Does it end the loop, call something for what that does, draw random numbers, or keep a heap? */
bool loop_acts(struct word statement);

#endif
