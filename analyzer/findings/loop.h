/* The loops around a place: where something that never changes can be moved out of. */
#ifndef PIEPROF_ANALYZER_LOOP_H
#define PIEPROF_ANALYZER_LOOP_H

#include "model/model.h"

struct loop {
    const char *file; /* NULL: no loop is known */
    int32_t line;     /* of its header; in a comprehension, the comprehension's own */
};

/*
 * The nearest loop of user code around the Python frames of `node_id`, read from the indentation of the stored source:
 * `for` and `while` statements around the innermost user frame's line, then around its caller's, and so on. `inner`: the
 * nearest loop is what goes once through a period, and the one around it is meant; then comprehensions, and the header
 * the place itself stands on, count as loops too.
 */
struct loop loop_around(struct model *model, struct process *process, uint32_t node_id, bool inner);

#endif
