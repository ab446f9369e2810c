/* Whether two calls of a native function are made with the same arguments, as far as the program's text tells. */
#ifndef PIEPROF_ANALYZER_ARGUMENTS_H
#define PIEPROF_ANALYZER_ARGUMENTS_H

#include "model/model.h"

/*
 * Do the ways to two nodes of one process part in an execution of one function of the program's, at two expressions that differ in what
 * they take (same_value.h)? Two masks may be the same in these data. False where that is not known.
 */
bool arguments_differ(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node);

#endif
