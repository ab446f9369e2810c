/* What the operands of an expression took that make no objects themselves: "x.std(0)" of "(x - x.mean(0)) / x.std(0)". */
#ifndef PIEPROF_ANALYZER_OPERAND_TIME_H
#define PIEPROF_ANALYZER_OPERAND_TIME_H

#include "findings/fed.h"

/*
 * CPU time of instructions that stand within the place's own in the text, in the same execution of the same function, and make nothing that
 * is an object, but workspaces: where what the expression makes is the same each time, they need not run again either. Each is told once.
 * Nothing without columns (before CPython 3.11).
 */
struct fed operand_time_take(struct model *model, const struct place *place);

void operand_times_free(struct model *model);

#endif
