/*
 * Does an array hold the same in each round of a loop, by the text? It does where every name that may stand for it, or for a part of
 * it, is only read while the loop runs, by statements that are understood; where all functions that it is handed to are seen to
 * do no more; and where what it was made of is seen, so that nobody else has it. Anything else is said to change it.
 */
#ifndef PIEPROF_ANALYZER_KEPT_H
#define PIEPROF_ANALYZER_KEPT_H

#include "findings/kept_ways.h"
#include "findings/loop.h"

/*
 * Of the array that `operand` ("x") stands for at the innermost of the ways' levels; `loop` is the outermost around that, in that function
 * or one that calls it, up to where the array comes from. All in one file, which has no classes, decorators or threads of its own.
 */
bool kept_in_loop(const struct kept_ways *ways, struct word operand, struct loop *loop);

#endif
