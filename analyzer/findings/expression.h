/*
 * What a Python instruction does, from the text that its columns span (CPython 3.11 and later): libraries are often
 * without the names of their native functions, and one native function may be the way into many.
 */
#ifndef PIEPROF_ANALYZER_EXPRESSION_H
#define PIEPROF_ANALYZER_EXPRESSION_H

#include "model/model.h"
#include "model/source.h"

enum operation_kind { OPERATION_UNKNOWN, OPERATION_CALL, OPERATION_SUBSCRIPT, OPERATOR };

/* The last step of an expression: of "np.exp(x)" the call of "exp", of "a + b * c" the operator "+". */
struct operation {
    enum operation_kind kind;
    const char *name; /* not NUL-terminated, in the source; length 0 for subscripts and for calls of what has no name */
    size_t length_bytes;
};

/* Of an expression's text. Anything it does not know (conditions, comprehensions, half an expression) is unknown. */
struct operation operation_of(const char *text, size_t length_bytes);

/* Of the instruction at which the Python frame `node_id` stands. */
struct operation operation_at(struct model *model, struct process *process, uint32_t node_id);

/* Where that instruction's text stands in its source: in one line or over several. */
struct expression_place {
    const char *line, *start;   /* of the first line */
    const char *end, *line_end; /* of the last */
};
/* False where none is known. */
bool expression_place(struct model *model, struct process *process, uint32_t node_id, struct expression_place *place);

/* The text of that instruction; NULL where none is known. Not NUL-terminated. */
const char *operation_text(struct model *model, struct process *process, uint32_t node_id, size_t *length_bytes);

/* The same in the code without strings and comments (source_code()), which `*code` is then. */
const char *operation_code(struct model *model, struct process *process, uint32_t node_id, size_t *length_bytes,
                           const struct source **code);

/* Is it that name? */
bool operation_is_named(const struct operation *operation, const char *name);

/* Do the two differ for certain? */
bool operations_differ(const struct operation *a, const struct operation *b);

#endif
