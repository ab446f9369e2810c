/* Expressions that choose, count or round: such a result may stay while what it is made of moves. */
#ifndef PIEPROF_ANALYZER_CHOICES_H
#define PIEPROF_ANALYZER_CHOICES_H

#include <stdbool.h>

#include "python/words.h"

/* Does the expression do so at last? */
bool choices_at_last(struct word expression);

/* ... or any part of it? Names count though nobody calls them: who asks passes a finding over. */
bool choices_somewhere(struct word text);

/*
 * The names by which it takes parts, as far as there is room: "x[keep]", "x[order[0]]", not "x[k:]". What they hold may be the same for
 * long while it is stored into.
 */
void choices_indices(struct word text, struct words *names);

/* ... of the places that a store goes to: "x[w > 0]". What is computed of whole numbers there, "x[i // 2]", moves with them. */
bool choices_of_places(struct word target);

#endif
