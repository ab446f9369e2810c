/* Statements of a loop's body that no call on whole arrays could stand for. */
#ifndef PIEPROF_ANALYZER_LOOP_ACTS_H
#define PIEPROF_ANALYZER_LOOP_ACTS_H

#include <stdbool.h>

#include "model/source.h"
#include "python/words.h"

/* The functions that a loop calls which may be the program's own. */
struct loop_calls {
    struct words formulas; /* of the file (formula.h) */
    struct words outer;    /* ... take these beside their arguments */
    struct words others;   /* may remember: what one gives for one element may depend on those before */
};

/*
 * Adds those that the statement calls. False: one of them is an other. Each is read once, and beyond WORDS_MAX formulas all are others: to find a
 * function is to look through the file.
 */
bool loop_calls_add(struct loop_calls *calls, const struct source *code, struct word statement);

/* Does it end the loop, call something for what that does, draw random numbers, or keep a heap? */
bool loop_acts(struct word statement);

#endif
