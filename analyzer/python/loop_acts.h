/* Statements of a loop's body that no call on whole arrays could stand for. */
#ifndef PIEPROF_ANALYZER_LOOP_ACTS_H
#define PIEPROF_ANALYZER_LOOP_ACTS_H

#include <stdbool.h>

#include "python/words.h"

/* Does it end the loop, call something for what that does, draw random numbers, or keep a heap? */
bool loop_acts(struct word statement);

#endif
