/* What the text of a statement says of the buffer that it writes. */
#ifndef PIEPROF_ANALYZER_OVERWRITE_H
#define PIEPROF_ANALYZER_OVERWRITE_H

#include "model/model.h"

/* Does the statement that begins on the line say that all of a buffer is written: out=, [:] =, copy_, copyto, without where=? */
bool overwrite_is_whole(const struct model *model, const struct line *line);

#endif
