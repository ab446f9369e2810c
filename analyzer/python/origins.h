/*
 * Where what a name of a program stands for may come from: could two names be one array, or parts of one? By the text of the whole file,
 * names of all its functions taken together. What is understood to make new memory ("a + b", np.zeros(), copy()) has no origin; whatever
 * else a value names may be what it is, or a view of it: slices and reshape() as well as what is not known. aliases.h asks the
 * other way about: what is not known is no alias there.
 */
#ifndef PIEPROF_ANALYZER_ORIGINS_H
#define PIEPROF_ANALYZER_ORIGINS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

/*
 * May the statement of row `row` read the buffer that the statement of row `line`, of the same function, names, by another name than that?
 * `code`: source_code().
 */
bool origins_may_read(const struct source *code, int32_t line, int32_t row, struct word buffer);

#endif
