/*
 * Is what one Python instruction makes an operand of another? By the columns of one expression, or by the name of a variable
 * that stands between the two (CPython 3.11 and later).
 */
#ifndef PIEPROF_ANALYZER_OPERAND_H
#define PIEPROF_ANALYZER_OPERAND_H

#include "model/model.h"
#include "python/words.h"

/*
 * Does the expression's last step take `name` ("x", "self.x") itself: "w * x", "f(w, x)", "x.f(w)", "w[x]", not "w * g(x)",
 * "w * x[0]" or "f(w, out=x)"? False for what operation_of() does not know, and for names within brackets of another step.
 */
bool text_takes(const char *text, size_t length_bytes, const char *name, size_t name_bytes);

/*
 * Of two Python frames (node ids) of one process: does `user` take what `maker` makes? Its columns lie within the user's, or
 * it is assigned to a name that the user takes. Both in the same execution of one function: the same frame called both. What
 * is assigned to the name in between is not looked for: true may then be wrong.
 */
bool is_operand(struct model *model, struct process *process, uint32_t maker, uint32_t user);

/* What is asked of a Python frame for that, read once where it is held against many. */
struct operand_frame {
    const struct db_node *record; /* NULL: there is none */
    struct line_span span;
    struct word target; /* of its assignment; no text: it has none */
    struct word text;   /* of its operation; no text: not known */
};

/* Of a frame (node id) of the process; kept as long as the process. */
const struct operand_frame *operand_frame_get(struct model *model, struct process *process, uint32_t node_id);

/* is_operand() of the two. */
bool operand_frame_takes(const struct operand_frame *user, const struct operand_frame *maker);

#endif
