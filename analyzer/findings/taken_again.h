/* The same rows taken twice in one execution of a function: "X[batch] @ w", then "X[batch].T @ error". */
#ifndef PIEPROF_ANALYZER_TAKEN_AGAIN_H
#define PIEPROF_ANALYZER_TAKEN_AGAIN_H

#include "model/model.h"

/*
 * Are `first` and `second`, whose objects are equal, made by subscripts of the same text, one behind the other in one execution of a
 * function that gives none of their names another value in between, and stores into none? All of those looked at must be equal;
 * where samples of them alone were compared, nothing may be called in between for what it does, which could be a store into a few rows. Not where a
 * result is stored into: of what is taken twice one may be there to be changed. False where the text is not known to the column (before
 * CPython 3.11).
 */
bool site_is_taken_again(struct model *model, const struct site *first, const struct site *second);

#endif
