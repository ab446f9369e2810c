/* Expressions that give the same each time, by the text alone: of literals, constants of the file and pure functions. */
#ifndef PIEPROF_ANALYZER_STEADY_H
#define PIEPROF_ANALYZER_STEADY_H

#include <stdbool.h>

#include "model/source.h"
#include "python/words.h"

/*
 * Would the expression, evaluated anywhere in the file, give the same each time? Its names stand for modules of arrays and
 * mathematics, or are given a value once, by the file's outermost statements, and never stored into; what it calls draws no numbers.
 * False for what is not understood. `code`: source_code() of the file.
 */
bool steady_expression(const struct source *code, struct word expression);

#endif
