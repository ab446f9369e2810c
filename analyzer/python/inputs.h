/* The names whose values an expression takes, by its text: of "np.tanh(x @ self.w[i], out=y)" x, self.w, i and y. */
#ifndef PIEPROF_ANALYZER_INPUTS_H
#define PIEPROF_ANALYZER_INPUTS_H

#include <stdbool.h>

#include "python/words.h"

struct input {
    struct word name;   /* "x", "self.w"; empty: there is none, as in "f(x)" */
    struct word called; /* the function, or method of `name`, that is called there; empty: none */
};

/*
 * The next one of code without strings and comments, from `*at` on, which moves along. Not the names of keyword arguments, nor of what is asked
 * for its shape and type alone (`len(x)`, `x.shape[0]`, `zeros_like(x)`).
 */
bool inputs_next(struct word text, const char **at, struct input *input);

#endif
