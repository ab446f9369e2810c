/* What a file does with attributes of one name, whatever object they are of: by the text. */
#ifndef PIEPROF_ANALYZER_ATTRIBUTE_H
#define PIEPROF_ANALYZER_ATTRIBUTE_H

#include <stdbool.h>

#include "model/source.h"
#include "python/words.h"

/* "self.x" of "self.x.sum()": the next attribute of that name, from `*at` on, which moves behind it. */
bool attribute_next(struct word text, const char **at, struct word attribute, struct word *dotted);

/* Does the file do nothing with attributes of that name ("x" of "self.x") but compute with them, or give them a value? A container's items go on. */
bool attribute_is_operand(const struct source *code, struct word attribute);

#endif
