/* What happens to the value of a name, by the text. */
#ifndef PIEPROF_ANALYZER_NAME_READ_H
#define PIEPROF_ANALYZER_NAME_READ_H

#include "model/source.h"
#include "python/words.h"

/*
 * Is every use of a local name that may see what the statement on rows [first, last] gives it (name_uses.h) one that computes with it,
 * and leaves nothing of it in its result? Not so where it is stored into, kept by another name or in a container, handed to functions
 * of the program's own, or returned; nor where a use is not understood. `code`: source_code(); the statement is alone on its rows.
 */
bool name_is_only_read(const struct source *code, int32_t first, int32_t last, struct word name);

/*
 * ... or does it at least leave the value as it is: it may be returned, but is neither stored into nor handed on, nor does another name
 * stand for it?
 */
bool name_is_left_alone(const struct source *code, int32_t first, int32_t last, struct word name);

/* May a statement on the rows give the name another value? What is not understood may. */
bool name_may_be_given(const struct source *code, int32_t first, int32_t last, struct word name);

#endif
