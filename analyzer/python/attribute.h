/* What a file does with attributes of one name, whatever object they are of: by the text. */
#ifndef PIEPROF_ANALYZER_ATTRIBUTE_H
#define PIEPROF_ANALYZER_ATTRIBUTE_H

#include <stdbool.h>

#include "model/source.h"
#include "python/words.h"

/* Does the file do nothing with attributes of that name ("x" of "self.x") but compute with them, or give them a value? A container's items go on. */
bool attribute_is_operand(const struct source *code, struct word attribute);

#endif
