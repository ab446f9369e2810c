/*
 * Calls of one instruction that make several sizes by turns, of which one is the same each time and the others are new: the layers of a
 * network over one graph, of which the first is handed the data and the next ones what comes of their weights.
 */
#ifndef PIEPROF_ANALYZER_ONE_SIZE_H
#define PIEPROF_ANALYZER_ONE_SIZE_H

#include "findings/own_sizes.h"

/*
 * Fills `is_apart` of the sites that speak neither way, where `carries` and `has_own_size` are known: of the other sizes, as long as the
 * program's own line makes nothing else there that is new. A size that is seldom made may be one that a plateau passes through.
 */
void one_size_find(struct model *model, struct own_sizes *sizes);

#endif
