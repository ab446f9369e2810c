/* The user's functions that were seen to run, as far as they are formulas (formula.h): each is read once. */
#ifndef PIEPROF_ANALYZER_KNOWN_FORMULAS_H
#define PIEPROF_ANALYZER_KNOWN_FORMULAS_H

#include "base/intern.h"
#include "model/model.h"
#include "python/formula.h"

struct known_formula {
    struct formula formula;
    const char *name;
    struct known_formula *next;
};

struct known_formulas {
    struct map map;
    struct known_formula *first; /* of all that were read */
};

/* Of the function whose code this is, of which row `row` ran. NULL: it is none. */
const struct known_formula *known_formula_at(struct known_formulas *formulas, struct model *model,
                                             const struct code *code, int32_t row);

void known_formulas_free(struct known_formulas *formulas);

#endif
