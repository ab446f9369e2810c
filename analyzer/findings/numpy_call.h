/* Calls of NumPy's functions that take `out`: whose instruction it is that makes them. */
#ifndef PIEPROF_ANALYZER_NUMPY_CALL_H
#define PIEPROF_ANALYZER_NUMPY_CALL_H

#include "findings/expression.h"

/*
 * The function of NumPy's that does what the site's innermost Python instruction does, and takes `out`: a call of it, or an operator's
 * function. By the instruction's text alone; length 0: none is known.
 */
struct operation numpy_call_taker(struct model *model, const struct site *site);

/*
 * Does the instruction at the site's line make the call itself? No function of a package, nor one of NumPy's or the standard library's
 * in Python, stands between the line and NumPy's native code.
 */
bool numpy_call_is_own(struct model *model, const struct site *site);

/*
 * ... and does it whenever it runs? The module that it names is NumPy, by the file's import statements; and on no way, in no process, it
 * runs other Python code, as it does where what it is given is at times a tracer of automatic differentiation (HIPS autograd, JAX), or of another type
 * with operators of its own. Alike for all sites of a place where numpy_call_is_own() is true.
 */
bool numpy_call_is_all(struct model *model, const struct site *site);

#endif
