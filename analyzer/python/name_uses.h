/*
 * Which uses of a local name may see the value that one statement gives it, by the indentation and the text of the function around:
 * until the name is given another value, in later rounds of a loop, and in functions that stand within the function. What
 * is not understood is taken for a use.
 */
#ifndef PIEPROF_ANALYZER_NAME_USES_H
#define PIEPROF_ANALYZER_NAME_USES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

/* What stands at `at` uses the name. False: no more need be looked at. */
typedef bool name_use(const char *at, void *state);

/*
 * Calls `use` for each such mention; true unless one of the calls was false. `code`: the source without strings and comments
 * (source_code()); the statement is one of the lines [first, last], alone on them; `name` is no attribute.
 */
bool name_uses_visit(const struct source *code, int32_t first, int32_t last, struct word name, name_use *use,
                     void *state);

#endif
