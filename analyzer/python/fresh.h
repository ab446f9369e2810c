/* What of an expression's value is no array of anybody else's, by the names that NumPy and PyTorch give it. */
#ifndef PIEPROF_ANALYZER_FRESH_H
#define PIEPROF_ANALYZER_FRESH_H

#include "python/words.h"

/* Does the call make new memory, or no array at all? Not so views, what may be one, and what says where to ("out="). */
bool fresh_is_call(struct word function, struct word arguments);

/* "shape" of "x.shape": of an array, but none. */
bool fresh_is_fact(struct word attribute);

/* "T" of "x.T": the same memory. */
bool fresh_is_view(struct word attribute);

/* "np", "torch": what stands behind the dot is a function or a constant. */
bool fresh_is_module(struct word name);

/* range(), float(): a number, or several. */
bool fresh_is_number(struct word function);

#endif
