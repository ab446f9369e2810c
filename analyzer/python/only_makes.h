/* Does a function make what it returns, and nothing else: could what it returned be used again in place of a call with the same arguments? */
#ifndef PIEPROF_ANALYZER_ONLY_MAKES_H
#define PIEPROF_ANALYZER_ONLY_MAKES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

/*
 * Of the function whose "def" stands in row `def` of a source's code (source_code()). By its own text alone: not where it returns nothing, stores
 * into attributes or what it was handed, calls something for what that does, yields, or says "global". What the functions do that it calls is not asked.
 */
bool function_only_makes(const struct source *code, int32_t def);

/* The same, but for "net.eval()". */
bool function_only_evaluates(const struct source *code, int32_t def);

/* That, and wherever it returns, it returns what the name stands for and nothing else, which it gives it in one place. */
bool function_only_makes_one(const struct source *code, int32_t def, struct word name);

#endif
