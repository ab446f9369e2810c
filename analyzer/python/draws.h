/* Functions that draw random numbers, by their names. */
#ifndef PIEPROF_ANALYZER_PYTHON_DRAWS_H
#define PIEPROF_ANALYZER_PYTHON_DRAWS_H

#include "python/words.h"

/* "rng.normal", "np.random.rand"; "nn.Linear", whose weights are drawn. */
bool draws_by_name(struct word function);

#endif
