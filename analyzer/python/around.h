/* What a program runs between the end of some rows of its text and their next beginning. By the text; `code`: source_code(). */
#ifndef PIEPROF_ANALYZER_AROUND_H
#define PIEPROF_ANALYZER_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/clear.h"

/*
 * Is nothing called there that may be the program's own, or a step of an optimizer's: in the loops that the rows stand in, and in those that
 * the calls of their function stand in? Not where a function is called that the file does not call, or that it hands on.
 */
bool around_is_quiet(const struct source *code, int32_t first, int32_t last, const struct clear *clear);

#endif
