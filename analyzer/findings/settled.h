/* A plateau: results that stay equal for a while though what they are computed from changes. */
#ifndef PIEPROF_ANALYZER_SETTLED_H
#define PIEPROF_ANALYZER_SETTLED_H

#include "model/model.h"

/*
 * Has an operand of the expression that makes the site's objects had more contents than these have, or is it settled itself?
 * Operands are those that is_operand() knows, and of 1 KiB and more; of numbers, and arrays that are stored into in
 * place, those that the text shows to be added to in the loop. Not asked of calls
 * that take no more than an operand's shape and type (`zeros_like(x)`, `x.new_full(...)`).
 */
bool site_is_settled(struct model *model, const struct site *site);

#endif
