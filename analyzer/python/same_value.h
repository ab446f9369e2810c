/* Do two expressions of one function take the same values? By the names, numbers and signs in their text. */
#ifndef PIEPROF_ANALYZER_SAME_VALUE_H
#define PIEPROF_ANALYZER_SAME_VALUE_H

#include <stdbool.h>

#include "python/words.h"

/*
 * Do they differ in a name, a number, a sign or a string? Not where `rows`, the function's, give two names the same: one the other, or
 * each an expression of which that is true. Written in other ways they count as different: `np.mean(x, 0)` and `x.mean(0)`.
 */
bool values_differ(struct word rows, struct word one, struct word other);

/* "theta, count = proposal, count + 1": does the statement give the one name what the other has? */
bool values_give(struct word statement, struct word name, struct word other);

#endif
