/* Where a Python instruction stands in its statement, from the stored source and its columns (CPython 3.11 and later). */
#ifndef PIEPROF_ANALYZER_STATEMENT_H
#define PIEPROF_ANALYZER_STATEMENT_H

#include "model/model.h"
#include "model/source.h"
#include "python/words.h"

/*
 * Is what the Python frame `node_id` makes the whole value of an assignment to one name or attribute ("x = a + b"), or "x += a"? Not so
 * temporaries within an expression, arguments, what is returned, and where no text or columns are known.
 */
bool statement_assigns(struct model *model, struct process *process, uint32_t node_id);

/* That name ("x", "self.x"), not NUL-terminated, in the source; NULL where statement_assigns() is false. */
const char *statement_target(struct model *model, struct process *process, uint32_t node_id, size_t *length_bytes);

/*
 * The target that the instruction's value is given to, be it one of several, one by a condition, or a subscript: "k" of "q, k = f(), VALUE",
 * "s[0]" of "s[0] = VALUE if t else u". Empty where it is given to none, or is but a part of what is given.
 */
struct word statement_item(struct model *model, struct process *process, uint32_t node_id);

/* "a, b = value, 1", "a = b = value", "a: T = value", "a = [value]", "return value", and so behind a ";": it has names, which are not followed. */
bool statement_gives_otherwise(struct model *model, struct process *process, uint32_t node_id);

#endif
