/* The names in a loop's body, and what its statements do with them. */
#ifndef PIEPROF_ANALYZER_LOOP_USES_H
#define PIEPROF_ANALYZER_LOOP_USES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "python/words.h"

#define LOOP_USES_MAX 512u
#define LOOP_VIEWS_MAX 64u

/* One use of a name in the loop's body. */
struct loop_use {
    struct word name, index; /* index: between the brackets behind it; length 0: none */
    uint32_t statement;      /* its number; what it reads comes before what it stores */
    bool stored, added;      /* added: by an augmented assignment, which reads it as well... */
    bool summed;             /* ... as "+=" and "-=" do */
    bool
        within; /* stored into what the name stands for, which stays: by a method, or an argument that takes the result */
    bool called;
};

/* "row = y[i]": what is stored into the name is stored into the array, if it has more than one dimension. */
struct loop_view {
    struct word name, array, index;
};

struct loop_uses {
    struct loop_use uses[LOOP_USES_MAX];
    size_t count;
    struct loop_view views[LOOP_VIEWS_MAX];
    size_t view_count;
    bool full;
    /* A statement ends the loop, or does something to what is outside of arrays: which round comes first matters. */
    bool acts;
};

/* A statement that gives a name such a view; any other value is passed over. */
void loop_uses_add_view(struct loop_uses *uses, struct word name, struct word value);

/* Adds to the stores into such names those into their arrays. Once, when all statements are read. */
void loop_uses_follow_views(struct loop_uses *uses);

/* Adds the names of one expression, or of one side of an assignment. `stored`: those outside of brackets are targets. */
void loop_uses_read(struct loop_uses *uses, struct word text, uint32_t statement, bool stored, bool added);

#endif
