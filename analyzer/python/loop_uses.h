/* The names in a loop's body, and what its statements do with them. */
#ifndef PIEPROF_ANALYZER_LOOP_USES_H
#define PIEPROF_ANALYZER_LOOP_USES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "python/words.h"

#define LOOP_USES_MAX 512u

/* One use of a name in the loop's body. */
struct loop_use {
    struct word name, index; /* index: between the brackets behind it; length 0: none */
    uint32_t statement;      /* its number; what it reads comes before what it stores */
    bool stored, added;      /* added: by an augmented assignment, which reads it as well... */
    bool summed;             /* ... as "+=" and "-=" do */
    bool called;
};

struct loop_uses {
    struct loop_use uses[LOOP_USES_MAX];
    size_t count;
    bool full;
    /* A statement ends the loop, or does something to what is outside of arrays: which round comes first matters. */
    bool acts;
};

/* Adds the names of one expression, or of one side of an assignment. `stored`: those outside of brackets are targets. */
void loop_uses_read(struct loop_uses *uses, struct word text, uint32_t statement, bool stored, bool added);

#endif
