/* What NumPy's and PyTorch's functions, methods and attributes do with the memory of the array that they are given, by their names. */
#ifndef PIEPROF_ANALYZER_ARRAY_CALLS_H
#define PIEPROF_ANALYZER_ARRAY_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "python/words.h"

enum array_effect {
    ARRAY_UNKNOWN, /* anything */
    ARRAY_NEW,     /* it is read; the result has memory of its own, or is no array */
    ARRAY_SAME,    /* the result is the array, or may share its memory */
    ARRAY_STORED,  /* it is stored into */
};

/* Of the array that a method belongs to ("mean" of "x.mean(0)"), with the text of its arguments. */
enum array_effect array_method(struct word name, struct word arguments);

/* Of an attribute that is not called: "x.shape", "x.T". */
enum array_effect array_attribute(struct word name);

/*
 * Of what is handed to "np.add" at a place, from 0 (-1: by a keyword). Python's own functions among them; methods of other arrays ("w.dot") too.
 */
enum array_effect array_function(struct word function, struct word arguments, int place);

/* Is one of the arguments what the result is stored into, by its keyword, or not to be understood? */
bool array_takes_out(struct word arguments);

/* "np", "torch.nn.functional": does the dotted name begin with the name of a module of arrays? */
bool array_is_module(struct word function);

#endif
