/* Names by which a loop keeps the greatest or smallest of what its rounds give: a reduction, as a sum is one. */
#ifndef PIEPROF_ANALYZER_LOOP_EXTREME_H
#define PIEPROF_ANALYZER_LOOP_EXTREME_H

#include "python/words.h"

/*
 * Of "if x[i] > best: best, at = x[i], i", and of "best = max(best, value)": "best", where nothing else in the body names it. A round then
 * needs of those before nothing but that, which max() and argmax() of all values find.
 */
void loop_extremes_read(struct word body, struct words *extremes);

#endif
