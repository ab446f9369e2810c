/* What a file's import statements say of a name, by the text. */
#ifndef PIEPROF_ANALYZER_IMPORTS_H
#define PIEPROF_ANALYZER_IMPORTS_H

#include "model/source.h"
#include "python/words.h"

enum imported {
    IMPORTED_BY_NONE,      /* no statement imports it by that name */
    IMPORTED_FROM_NUMPY,   /* NumPy, or something of NumPy's */
    IMPORTED_FROM_NUMERIC, /* at one place at least another module of numbers and arrays: torch, scipy, math */
    IMPORTED_FROM_OTHER,   /* ... something else: "import autograd.numpy as np" */
};

/*
 * Of a name without a dot. `code`: the file without strings and comments (source_code()). "from m import *" may import any name, and is
 * believed of NumPy alone.
 */
enum imported imports_of_name(const struct source *code, struct word name);

#endif
