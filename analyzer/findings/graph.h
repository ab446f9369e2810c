/* What backward() asks of a result that is kept: PyTorch's graph goes with it. */
#ifndef PIEPROF_ANALYZER_GRAPH_H
#define PIEPROF_ANALYZER_GRAPH_H

#include "model/model.h"

/* May the site's results belong to a graph? Made by PyTorch, in a pass that backward() may follow, and not under no_grad(). */
bool graph_may_hold(struct model *model, const struct site *site);

/* To be said behind the advice that the second site use what the first had made; "" where there is nothing to. */
const char *graph_advice(struct model *model, const struct site *first, const struct site *second);

/* Is the first made under no_grad(), and the second where it may be trained? */
bool graph_first_is_without(struct model *model, const struct site *first, const struct site *second);

#endif
