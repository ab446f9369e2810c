/* Displays of containers in the text: lists, tuples, sets, dictionaries. */
#ifndef PIEPROF_ANALYZER_DISPLAY_H
#define PIEPROF_ANALYZER_DISPLAY_H

#include <stdbool.h>

#include "python/handed.h"
#include "python/words.h"

/*
 * Is the name, or the attribute of that name of any object, an item by itself of a container that the text makes ("[w, b]",
 * "{'w': self.w}", "return w, b"), or that it is put into ("ws.append(w)")? Neither what is subscripted by it nor the arguments of a call are meant.
 */
bool display_holds(struct word text, struct word name);

/*
 * The next call in the text that hands it to what may keep it: "Sgd(params, 0.1)", by the rule that classes' names begin with a capital
 * letter. `rest` moves along.
 */
bool display_next_class(struct word *rest, struct word name, struct handed *handed);

#endif
