/*
 * Is what one Python instruction makes an operand of another? By the columns of one expression, or by the name of a variable
 * that stands between the two (CPython 3.11 and later).
 */
#ifndef PIEPROF_ANALYZER_OPERAND_H
#define PIEPROF_ANALYZER_OPERAND_H

#include "model/model.h"

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

#endif
