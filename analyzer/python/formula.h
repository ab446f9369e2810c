/* A function that computes one value of what it is handed, and nothing else: "def relu(v): return v if v > 0 else 0.0". */
#ifndef PIEPROF_ANALYZER_FORMULA_H
#define PIEPROF_ANALYZER_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

/* What stands in a formula that works on one number, and on an array has another form. */
struct formula {
    bool is_one;
    bool computes;      /* by arithmetic or comparisons, and looks nothing up */
    bool chooses;       /* by `if` */
    bool uses_math;     /* functions of the module math */
    struct words outer; /* what it takes beside its arguments: last parts of names ("y" of "self.y") */
};

/*
 * Of the function whose "def" stands in row `def` of a source's code (source_code()); of a lambda, what stands in its row. By its text alone:
 * not where it is longer than a few rows, has loops, draws at random, calls itself, does more than to return something, or calls another
 * function that may be the program's own and is no formula of the file.
 */
struct formula formula_read(const struct source *code, int32_t def);
struct formula formula_read_lambda(const struct source *code, int32_t row);

/* "relu" of "relu = lambda v: ...", which is all of the row; empty: it has no name. */
struct word formula_lambda_name(const struct source *code, int32_t row);

/* The row of the "def" of "f" of the file, or of "self.f" of a class of it; 0: it is not known. */
int32_t formula_definition(const struct source *code, struct word function);

#endif
