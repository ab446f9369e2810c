/* Expressions that choose, count or round: such a result may stay while what it is made of moves. */
#ifndef PIEPROF_ANALYZER_CHOICES_H
#define PIEPROF_ANALYZER_CHOICES_H

#include <stdbool.h>

#include "python/words.h"

/* Does the expression do so at last? */
bool choices_at_last(struct word expression);

/* ... or any part of it? Names count though nobody calls them: who asks passes a finding over. */
bool choices_somewhere(struct word text);

/* ... of the places that a store goes to: "x[w > 0]". What is computed of whole numbers there, "x[i // 2]", moves with them. */
bool choices_of_places(struct word target);

#endif
