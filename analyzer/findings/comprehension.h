/* The comprehension or generator expression around a place, from the source's text and columns (CPython 3.11 and later). */
#ifndef PIEPROF_ANALYZER_COMPREHENSION_H
#define PIEPROF_ANALYZER_COMPREHENSION_H

#include "findings/loop.h"
#include "model/model.h"
#include "python/words.h"

struct comprehension {
    const struct code *code;
    int32_t line;        /* on which its bracket opens... */
    int32_t column;      /* ... and where, in bytes */
    struct word element; /* what is made in each round */
    struct word clauses; /* "for x in xs if x > 0 for y in x" */
    bool ends_early;     /* next(), any() or all() take of it what they need */
    bool is_in_header;   /* the place is what is iterated over, or stands for all of it: not what is done in a round */
};

/* The innermost one around what the Python frame `node_id` does. False where there is none, or no columns are known. */
bool comprehension_of_frame(struct model *model, struct process *process, uint32_t node_id,
                            struct comprehension *comprehension);

/* The outermost one of user code that calls what leads to the Python frame `node_id`: it stands further out than that. No file: there is none. */
struct loop comprehension_outermost(struct model *model, struct process *process, uint32_t node_id);

/* Does that one, or one within it, have loops of its own within loops ("f(x, y) for x in xs for y in ys")? */
bool comprehension_is_nested(struct model *model, struct process *process, uint32_t node_id);

#endif
