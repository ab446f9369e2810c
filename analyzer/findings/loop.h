/* The loops around a place: where something that never changes can be moved out of. */
#ifndef PIEPROF_ANALYZER_LOOP_H
#define PIEPROF_ANALYZER_LOOP_H

#include "model/model.h"

struct loop {
    const char *file; /* NULL: no loop is known */
    int32_t line;     /* of its header */
    bool is_comprehension;
};

static inline bool loop_is(struct loop one, struct loop other)
{
    return one.file == other.file && one.line == other.line;
}

/*
 * The nearest loop of user code around the Python frames of `node_id`, read from the indentation of the stored source:
 * `for` and `while` statements around the innermost user frame's line, then around its caller's, and so on. `inner`: the
 * nearest loop is what goes once through a period, and the one around it is meant; the header the place itself stands on
 * counts as a loop then too.
 */
struct loop loop_around(struct model *model, struct process *process, uint32_t node_id, bool inner);

/* The outermost of these loops: a `for` or `while` of user code that all else on the way stands in. */
struct loop loop_outermost(struct model *model, struct process *process, uint32_t node_id);

/* The same, and the Python frame that stands in it. */
struct loop loop_outermost_frame(struct model *model, struct process *process, uint32_t node_id, uint32_t *frame);

/* The outermost of the loops in the function of the Python frame `node_id`. No file: there is none. */
struct loop loop_outermost_in(struct model *model, struct process *process, uint32_t node_id);

/*
 * Those loops from the nearest out, `most` at most, comprehensions that called what stands in them among them; the header that the
 * place itself stands on counts. Returns how many.
 */
size_t loops_around(struct model *model, struct process *process, uint32_t node_id, struct loop *loops, size_t most);

/* The lines of a loop in its function. */
struct loop_body {
    const struct code *code;
    int32_t first, last; /* from the header on */
};

/* Of one function. */
static inline bool loop_is_within(const struct loop_body *inner, const struct loop_body *outer)
{
    return inner->code == outer->code && outer->first < inner->first && inner->last <= outer->last;
}

/* The loops of user code around them from the nearest out, `most` at most. Comprehensions are none. Returns how many. */
size_t loop_bodies_around(struct model *model, struct process *process, uint32_t node_id, struct loop_body *bodies,
                          size_t most);

/*
 * The innermost loop around the line of the Python frame `node_id`, in its own function; a header's line is within its loop.
 * False where there is none, or no text is known.
 */
bool loop_of_frame(struct model *model, struct process *process, uint32_t node_id, struct loop_body *body);

/* The same, but for a loop on whose header's row the frame stands. */
bool loop_of_frame_beyond(struct model *model, struct process *process, uint32_t node_id, struct loop_body *body);

/* Is it the code of a comprehension or generator expression? Up to CPython 3.11 these are functions of their own, generators still are. */
bool loop_has_own_frame(const struct code *code);

/* Does the Python frame `node_id` stand in a comprehension on its line (from 3.12 on that has no frame)? Where no columns are known: has the line one? */
bool loop_is_comprehension(struct model *model, struct process *process, uint32_t node_id);

/* Does it stand on the header of a loop? */
bool loop_is_header(struct model *model, struct process *process, uint32_t node_id);

#endif
