/* The functions on the way to a place, from the innermost out, and what each calls the array that it is handed, by the text. */
#ifndef PIEPROF_ANALYZER_KEPT_WAYS_H
#define PIEPROF_ANALYZER_KEPT_WAYS_H

#include "model/model.h"
#include "model/source.h"
#include "python/words.h"

#define KEPT_LEVELS_MAX 32u

/* One function on the way. */
struct kept_level {
    const struct source *code; /* source_code(); NULL: none of the program's own, or nothing is known of its text */
    const struct source *text; /* with its strings */
    const char *file;
    int32_t row, def; /* where the statement begins that it stands at; the row of its "def", 0: the module */
    struct word call; /* the text of the instruction that it stands at */
    bool
        is_unread; /* it is the program's own, and nothing is known of its text: a lambda, or a comprehension before CPython 3.12 */
};

struct kept_ways {
    struct kept_level levels[KEPT_LEVELS_MAX];
    size_t count;
    bool from_module; /* the outermost is a module: no thread of its own */
};

/* Of the Python frame `node_id`. */
void kept_ways_find(struct kept_ways *ways, struct model *model, struct process *process, uint32_t node_id);

/*
 * The outermost loop around a level's statement, or the nearest, in its own function: a `for` header is not in its own loop. False: there
 * is none.
 */
bool kept_loop(const struct kept_level *level, bool nearest, int32_t *first, int32_t *last);

/* Is the name a parameter of the function whose "def" stands on the row? */
bool kept_is_parameter(const struct source *code, int32_t def, struct word name);

/* The name of the parameter that takes what a call hands in by a place or a keyword; empty: it is not known. */
struct word kept_parameter(const struct source *code, int32_t def, size_t place, struct word keyword);

/* What a level's caller hands in for a parameter; empty: it is not known. */
struct word kept_argument(const struct kept_ways *ways, size_t level, struct word parameter);

/* What a call with these arguments hands in for a parameter of the function; empty: it is not known. */
struct word kept_handed(const struct source *code, int32_t def, struct word arguments, struct word parameter);

#endif
