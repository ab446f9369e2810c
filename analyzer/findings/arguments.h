/* Whether two calls of a native function are made with the same arguments, as far as the program's text tells. */
#ifndef PIEPROF_ANALYZER_ARGUMENTS_H
#define PIEPROF_ANALYZER_ARGUMENTS_H

#include "model/model.h"

enum arguments {
    ARGUMENTS_SAME,
    ARGUMENTS_SAME_TAKEN, /* the program's calls differ, but not in what this one of what they call is made of */
    ARGUMENTS_DIFFER,
};

/*
 * The ways to two nodes of one process part in an execution of one function of the program's, at two expressions: do these differ in what they
 * take (same_value.h), and what comes of it in the native function? Two masks may be the same in these data. ARGUMENTS_SAME where that
 * is not known.
 */
enum arguments arguments_compare(struct model *model, struct process *process, uint32_t first_node,
                                 uint32_t second_node);

#endif
