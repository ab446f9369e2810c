/* What rows of a program do to what a name stands for, from one pass through them to the next. By the text. */
#ifndef PIEPROF_ANALYZER_CARRIED_H
#define PIEPROF_ANALYZER_CARRIED_H

#include <stdbool.h>

#include "python/words.h"

#define CARRIED_VALUES_MAX 8u

struct carried {
    bool stored;     /* a part of it is stored into, or it is changed in place, by this name or by that of a view */
    bool filled;     /* of that: it is a list, or a deque, and something is added or taken */
    bool augmented;  /* "x += 1", of a number perhaps */
    bool given;      /* another value, or all of its content anew... */
    bool read_first; /* ... but the one that a pass before left there is read before that */
    bool managed;    /* "with m as x": m may enter with another one each time */
    struct word values[CARRIED_VALUES_MAX]; /* what it is given, as far as there is room */
    size_t value_count;
    struct word stores[CARRIED_VALUES_MAX]; /* statements that store into a part of it, likewise */
    size_t store_count;
};

/* Of code without strings and comments (source_code()); `name` may be dotted. */
void carried_read(struct carried *carried, struct word rows, struct word name);

/* Does what it stands for in one pass depend on the pass before? */
bool carried_over(const struct carried *carried);

/* The names that `around` gives views of it, or what it is a view of itself: "inner = x[1:-1]". */
void carried_views(struct word around, struct word name, struct words *views);

/* Do the rows store into it, or add to it? */
bool carried_is_stored(struct word rows, struct word name);

/* ... or into what it holds, if it is a list? Who appends to one stores into nothing that it holds. */
bool carried_stores_into_items(struct word rows, struct word name);

#endif
