/* What a function's expression is made of, followed back through what its names are given: by the text. */
#ifndef PIEPROF_ANALYZER_MADE_OF_H
#define PIEPROF_ANALYZER_MADE_OF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

/*
 * Adds the parameters of the function (the row of its "def"; `code`: source_code()) that the expression's value may come from: of "x @ w", `x` and, where
 * "w = scale * v" stands above, `v`. False where that is not seen: of what is stored into, added to, or a variable of a function around.
 */
bool made_of_parameters(const struct source *code, int32_t def, struct word expression, struct words *parameters);

/* Does the function store into what it gives the expression's value to: "y = f(x)", "y += 1"? The expression is a part of its text. */
bool made_of_is_stored_into(const struct source *code, int32_t def, struct word expression);

#endif
