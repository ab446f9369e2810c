/* The loop in whose rounds a place is reached, where it matters that no other stands within it. */
#ifndef PIEPROF_ANALYZER_NEAREST_LOOP_H
#define PIEPROF_ANALYZER_NEAREST_LOOP_H

#include "findings/loop.h"

/*
 * The innermost loop of user code around `node_id`, comprehensions and loops on one line among them. No file: there is none, or what is
 * called on the way to it may be called in a loop that no text shows, as by map(), or in a library that is handed a function.
 */
struct loop loop_nearest(struct model *model, struct process *process, uint32_t node_id);

/* The same without comprehensions. */
struct loop loop_nearest_block(struct model *model, struct process *process, uint32_t node_id);

#endif
