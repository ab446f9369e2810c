/* Statements of a loop's body that no call on whole arrays could stand for. */
#ifndef PIEPROF_ANALYZER_LOOP_ACTS_H
#define PIEPROF_ANALYZER_LOOP_ACTS_H

#include <stdbool.h>

#include "model/source.h"
#include "python/words.h"

/*
 * Does it call a function of the program's own that is no formula (formula.h) of the file? It may remember: what it gives for one element can
 * depend on those before.
 */
bool loop_calls_more(const struct source *code, struct word statement);

/* That; or does it end the loop, call something for what that does, draw random numbers, or keep a heap? */
bool loop_acts(const struct source *code, struct word statement);

#endif
