/* Where two ways through the program part. */
#ifndef PIEPROF_ANALYZER_WAYS_H
#define PIEPROF_ANALYZER_WAYS_H

#include "model/model.h"

struct ways {
    const char *file; /* of both lines; NULL: the ways do not part in a function of the user's or a package's */
    int32_t first, second;
    struct line_span first_call, second_call; /* what stands there */
    bool into_others;                         /* the calls there lead into functions that are not the same */
};

/*
 * The frame of the user's, or of a package, in which the ways to two nodes of one process part: the same function, standing at `first` and at
 * `second`, which may be one line.
 */
struct ways ways_part(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node);

/* The user's calls that lead, each on its way, to what both ways have in common at their ends. */
struct ways_calls {
    const char *first_file; /* NULL: there are no such */
    int32_t first;
    const char *second_file;
    int32_t second;
};

/* The innermost ones to two nodes of one process: whatever else calls further out do, these do what the nodes do. */
struct ways_calls ways_calls(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node);

/* A frame of the user's on a way. */
struct ways_step {
    const char *file;
    int32_t row;
};

/*
 * The way to a node, from the frame of the user's on in which that of the other node parts from it, inwards; without what NumPy, PyTorch
 * and Python's library run of their own. How many; SIZE_MAX where there are more than `most`, or frames of others, or of lambdas and comprehensions.
 */
size_t ways_behind(struct model *model, struct process *process, uint32_t node_id, uint32_t other_node,
                   struct ways_step *steps, size_t most);

/* What a site's expression makes on another way to it, where most of that is new; NULL: nothing is. Of sites that no finding claims. */
const struct site *ways_new_on_another(const struct line *line, const struct site *site);

/* The two lines, of one file, that call the function of the sites' line; where that is one line, those where the ways part. */
struct ways ways_to_line(struct model *model, const struct site *one, const struct site *other);

#endif
