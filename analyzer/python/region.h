/* The rows that a pass of a loop may run, by the text: its body, and the functions whose names stand there, and in these, and so on. */
#ifndef PIEPROF_ANALYZER_REGION_H
#define PIEPROF_ANALYZER_REGION_H

#include "model/source.h"
#include "python/words.h"

#define REGION_SPANS_MAX 64u

/* A loop's body, or that of a function with its header. `code`: source_code(). */
struct region_span {
    const struct source *code;
    int32_t def, first, last; /* def: the row of the function that the rows stand in; 0: the module */
};

struct region {
    struct region_span spans[REGION_SPANS_MAX];
    size_t count;
};

struct word region_rows(const struct region_span *span);

/* A function by the row of its "def", once. */
void region_add(struct region *region, const struct source *code, int32_t def);

/* All of the files' functions whose names stand in what is there already, and what Python calls by no name that is told (`forward`, `__call__`). */
void region_reach(struct region *region, const struct source *const *codes, size_t count);

/* Does a pass change what "self.NAME" of any object stands for: stores into it, adds to it, or makes another of it? Not in constructors. `stores_alone`: only where it stores into it. */
bool region_changes_attribute(const struct region *region, struct word name, bool stores_alone);

/* What the rows give it. Returns how many values; no more than `most`. */
size_t region_gives_attribute(const struct region_span *span, struct word name, struct word *values, size_t most);

/* Does a pass change what a name stands for that is none of the function's own, where a function says "global" or "nonlocal", or stores into it? */
bool region_changes_outer(const struct region *region, struct word name, bool stores_alone);

/* Does a function's "def" in the row take a parameter of that name, or its text give the name a value of its own? */
bool region_is_local(const struct source *code, int32_t def, struct word name);

#endif
