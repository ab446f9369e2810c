/* The samples below a Python frame of the user's, and whose lines they are. */
#ifndef PIEPROF_ANALYZER_BELOW_H
#define PIEPROF_ANALYZER_BELOW_H

#include "model/model.h"

/* What a line has of them. */
struct below_share {
    struct line *line;
    uint64_t ns;
};

struct below {
    uint64_t samples, python, ns; /* python: of the samples, those that are not in native code */
    struct below_share *shares;
    size_t share_count, share_capacity;
    struct process *process; /* of the frame that has the heaviest of them */
    uint32_t frame;          /* a node's id */
    uint64_t heaviest_ns;
};

/* Those of a leaf, below `frame`. */
void below_add(struct model *model, struct below *below, struct process *process, uint32_t frame, uint32_t leaf,
               const struct db_node *record);
void below_free(struct below *below);

/* All goes by the finding at `line`, which is charged to the lines whose time it is. What of it is the line's own, in seconds. */
double below_charge(const struct below *below, const struct line *line);

#endif
