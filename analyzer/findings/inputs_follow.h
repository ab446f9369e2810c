/* One step of the search for what changes a result's inputs (inputs_change.h). */
#ifndef PIEPROF_ANALYZER_INPUTS_FOLLOW_H
#define PIEPROF_ANALYZER_INPUTS_FOLLOW_H

#include "findings/inputs_change.h"
#include "findings/inputs_walk.h"

/* Does the loop change what the item names, by that name? What the name stands for is added to the walk, to be asked next. */
bool inputs_follow(struct inputs_walk *walk, const struct inputs_item *item, enum inputs_asked asked);

/* Of an item that is a call: what the function takes. */
void inputs_follow_called(struct inputs_walk *walk, const struct inputs_item *item);

#endif
