/* The text of a Python instruction, which its columns span (CPython 3.11 and later). */
#ifndef PIEPROF_ANALYZER_EXPRESSION_H
#define PIEPROF_ANALYZER_EXPRESSION_H

#include "model/model.h"
#include "model/source.h"
#include "python/operation.h"

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

#endif
