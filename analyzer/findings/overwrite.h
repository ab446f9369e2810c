/* What the text of a statement says of the buffer that it writes. */
#ifndef PIEPROF_ANALYZER_OVERWRITE_H
#define PIEPROF_ANALYZER_OVERWRITE_H

#include "model/model.h"

/* Does the statement that begins on the line say that all of a buffer is written: out=, [:] =, copy_, copyto, without where=? */
bool overwrite_is_whole(const struct model *model, const struct line *line);

/* ... and that with a number: "buffer[:] = 0.0"? */
bool overwrite_is_of_number(const struct model *model, const struct line *line);

/*
 * Is `by` the next statement, in the same suite? What stands between may read the buffer, or a part of it by another name, and what
 * stands under a condition may be passed over: too rarely for samples to tell.
 */
bool overwrite_follows(const struct model *model, const struct line *line, const struct line *by);

#endif
