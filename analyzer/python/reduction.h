/*
 * Calls of NumPy's and PyTorch's that make a number, or a few, of one array and nothing else: "x.mean(axis=0)", "np.linalg.norm(x)"; and
 * draws that begin with sums of one: "rng.choice(n, p=x)".
 */
#ifndef PIEPROF_ANALYZER_REDUCTION_H
#define PIEPROF_ANALYZER_REDUCTION_H

#include <stdbool.h>

#include "python/words.h"

struct reduction {
    struct word operand; /* "x"; or "self.x", if `names` are none */
    bool draws;          /* the sums are the same each time, what is drawn by them is not */
    bool has_settings;   /* other arguments: literals, or names */
    struct words names;  /* of these */
};

/* Is the expression such a call, of an array that a name stands for? `code`: without strings and comments. */
bool reduction_read(struct word code, struct reduction *reduction);

#endif
