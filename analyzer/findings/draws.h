/* Results of random numbers: where one is kept, the generator is not drawn from. */
#ifndef PIEPROF_ANALYZER_DRAWS_H
#define PIEPROF_ANALYZER_DRAWS_H

#include "model/model.h"
#include "python/words.h"

/*
 * What that means for whoever keeps the result, by the text of the call (CPython 3.11 and later); empty where that draws nothing, or makes its
 * generator itself ("default_rng(0).normal(size=n)").
 */
const char *draws_say(struct model *model, const struct site *site);

/* Does the expression take random numbers, or the next of a stream, or a function of its file that it calls? */
bool draws_somewhere(struct model *model, const struct site *site);

/* Does the call draw from a covariance, by multivariate_normal()? NumPy's decomposes it each time, which is no draw. */
bool draws_by_covariance(struct model *model, const struct site *site);

#endif
