/* The names that a site's expression is made of, from one to the next, in the functions on the way to it. */
#ifndef PIEPROF_ANALYZER_INPUTS_WALK_H
#define PIEPROF_ANALYZER_INPUTS_WALK_H

#include "findings/inputs_memo.h"
#include "findings/kept_ways.h"
#include "model/model.h"
#include "python/region.h"

#define INPUTS_MAX 96u

/* A name, as the function at a level on the way knows it; or another function's of the files, of which what is not its own is asked. */
struct inputs_item {
    struct word name;
    const struct source *code; /* NULL: the name is that of a function, whose text is to be read... */
    bool is_plain;             /* ... and stands behind no dot */
    int32_t def;
    size_t level; /* SIZE_MAX: of no level */
};

/*
 * Which loop is asked about: of all around the site, of those in the innermost function that has one. Or what else the outermost changes
 * than what its header gives, one after the other: "for x in [train, test]". A block is no comprehension.
 */
enum inputs_loop {
    INPUTS_OUTERMOST,
    INPUTS_OUTERMOST_BUT_HEADER,
    INPUTS_OUTERMOST_IN_FUNCTION,
    INPUTS_NEAREST,
    INPUTS_NEAREST_BLOCK
};

struct inputs_walk {
    enum inputs_loop which;
    struct kept_ways ways;
    struct word clauses[KEPT_LEVELS_MAX]; /* "for x in xs" of the comprehension that a level stands in; empty: none */
    bool has_own_frame[KEPT_LEVELS_MAX];  /* ... which is a function of its own, before CPython 3.12 */
    bool is_looped;                       /* a loop is known; else the outermost function stands for it */
    size_t bottom, top;                   /* the levels of the site's expression, and of the outermost loop */
    struct region_span loop;              /* the rows of that loop */
    struct region *region;                /* what a pass of it may run */
    const struct code_index *codes[KEPT_LEVELS_MAX];
    size_t code_count;
    struct inputs_memo *memo;
    struct inputs_item items[INPUTS_MAX];
    size_t count;
    bool chooses;    /* something that was read chooses (choices.h) */
    bool is_unread;  /* a function on the way, below the loop, whose text is not known: what it takes may be anything */
    bool takes_next; /* a value is taken from what gives another each time: next(), pop(), random numbers */
};

/* Finds the levels, and adds the names in the site's own expression. False where no text is known. */
bool inputs_begin(struct inputs_walk *walk, struct model *model, const struct site *site, enum inputs_loop which);

/* Likewise of the expression that a Python frame on a line stands at. */
bool inputs_begin_at(struct inputs_walk *walk, struct model *model, struct process *process, uint32_t frame,
                     enum inputs_loop which);

/* Once. */
void inputs_add(struct inputs_walk *walk, struct inputs_item item);

/* The names in a text of the item's function. */
void inputs_add_text(struct inputs_walk *walk, struct word text, const struct inputs_item *of);

/* ... in one that stores: "x[w > 0] = y". */
void inputs_add_store(struct inputs_walk *walk, struct word statement, const struct inputs_item *of);

/* What a function of the program's own, or a property, takes beside its arguments. */
void inputs_add_function(struct inputs_walk *walk, struct word name);

/* What an object that is called takes: any class of the program's may be its own. */
void inputs_add_callables(struct inputs_walk *walk);

/* Does an import statement of its file name it, or what it is an attribute of? */
bool inputs_is_imported(const struct inputs_walk *walk, const struct inputs_item *item);

/* "model" of the caller's "model.best(x)" or "model.best", for "self" in the item's method; its text is empty where it is not known. */
struct inputs_item inputs_owner(const struct inputs_walk *walk, const struct inputs_item *item);

/* What is handed in for a parameter. False where that is not known. */
bool inputs_add_argument(struct inputs_walk *walk, const struct inputs_item *item);

/* The rows in which what the item's function knows changes from one pass to the next. */
struct word inputs_rows(const struct inputs_walk *walk, const struct inputs_item *item);

/* The "def" of a function or method by its name, in one of the files; 0: there is none, or several. */
int32_t inputs_definition(const struct inputs_walk *walk, struct word name, const struct source **code);

#endif
