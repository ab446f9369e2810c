/* What a row of a source stands in, by the indentation of the text: functions, classes, loops. `code`: source_code(). */
#ifndef PIEPROF_ANALYZER_SCOPE_H
#define PIEPROF_ANALYZER_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

/* "def f(x):" */
bool scope_is_function(struct word text);

/* The row of the header of the suite that the row stands in ("for x in y:", "def f():"); 0: in none. */
int32_t scope_header(const struct source *code, int32_t row);

/* The row of the `def` around the row, which may be another one's; 0: there is none. */
int32_t scope_outer(const struct source *code, int32_t row);

/* The row of the `def` that what the row does stands in: itself where a whole function is on the row; 0: in none. */
int32_t scope_function(const struct source *code, int32_t row);

#endif
