/* What the operands of an expression took that make no new objects themselves: "x.std(0)" of "(x - x.mean(0)) / x.std(0)". */
#ifndef PIEPROF_ANALYZER_OPERAND_TIME_H
#define PIEPROF_ANALYZER_OPERAND_TIME_H

#include "findings/finding.h"

struct operand_time {
    uint64_t ns, samples;
    uint64_t apart_ns; /* of these: at lines of packages that the line calls */
};

/*
 * CPU time of instructions that stand within the place's own in the text, in the same execution of the same function, and make nothing that
 * is an object, but workspaces, or nothing else again: of their results no larger part is new than of the expression's, and no finding tells them.
 * Where what the expression makes is the same each time, they need not run again either: of that the part `again`. Each is told once. Nothing
 * without columns (before CPython 3.11).
 */
struct operand_time operand_time_take(struct model *model, const struct line *line, const struct place *place,
                                      double again);

/* From now on what was spent in a context is told; false where it was already. Of CPU time alone. */
bool operand_time_tell(struct model *model, const struct process *process, uint32_t node_id);

/* What a finding says of lines of packages is theirs. */
void operand_time_charge(struct model *model, const struct finding *finding);

void operand_times_free(struct model *model);

#endif
