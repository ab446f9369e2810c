/* Where two ways through the program part. */
#ifndef PIEPROF_ANALYZER_WAYS_H
#define PIEPROF_ANALYZER_WAYS_H

#include "model/model.h"

struct ways {
    const char *file; /* of both lines; NULL: the ways do not part in a function of the user's */
    int32_t first, second;
};

/*
 * The user's frame in which the ways to two nodes of one process part: the same function, standing at `first` and at
 * `second`, which may be one line.
 */
struct ways ways_part(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node);

/* The two lines, of one file, that call the function of the sites' line; where that is one line, those where the ways part. */
struct ways ways_to_line(struct model *model, const struct site *one, const struct site *other);

#endif
