/*
 * The rows that a pass of a loop may run, by the text: its body, and the functions whose names stand there, and in these, and so on; and what
 * they change. Answers are kept: many sites ask for the same.
 */
#ifndef PIEPROF_ANALYZER_REGION_H
#define PIEPROF_ANALYZER_REGION_H

#include "python/code_index.h"

#define REGION_CODES_MAX 32u

/* A loop's body, or that of a function with its header. `code`: source_code(). */
struct region_span {
    const struct source *code;
    int32_t def, first, last; /* def: the row of the function that the rows stand in; 0: the module */
    bool seen;                /* of a region's: it was seen to run, or is on the way to what was */
};

/* What a pass does to an attribute, by whatever name its object has, or to a name that is none of a function's own. */
struct region_fact {
    struct word name;
    bool of_attribute;
    bool changes, stores; /* it is stored into, added to, or made of what it was; the first alone */
    bool renewed;         /* of an attribute: added to, or made of what it was */
};

struct region {
    struct region_span loop;
    struct region_span *spans; /* the loop's rows first */
    size_t count, capacity, looked_at;
    const struct code_index *codes[REGION_CODES_MAX];
    size_t code_count;
    struct region_fact *facts;
    size_t fact_count, fact_capacity;
    bool are_acts_known, steps, stores_items;
};

struct word region_rows(const struct region_span *span);

/* The names that an attribute has in the rows: "self.model.w", "model.w" of "w". */
void region_find_dotted(struct word rows, struct word name, struct words *found);

/* The function whose "def" stands on the row. */
struct region_span region_function(const struct source *code, int32_t def);

void region_begin(struct region *region, struct region_span loop);
void region_free(struct region *region);

/* A file whose functions may be run. */
void region_add_code(struct region *region, const struct code_index *code);

/* A function that is run, though its name may stand nowhere. */
void region_add_function(struct region *region, const struct source *code, int32_t def);

/* Of "self.NAME" of any object; what constructors do is not meant. */
struct region_fact region_of_attribute(struct region *region, struct word name);

/* Of a name of the module or of a function around, which functions say to be "global" or "nonlocal", or store into. */
struct region_fact region_of_outer(struct region *region, struct word name);

/* Does a pass take a step of an optimizer, or something in the place of one: ".step(", ".backward(", ".parameters("? */
bool region_steps(struct region *region);

/*
 * Does a pass store into what it takes out of a container: "for p in params: p -= g", "p = params[k]; p -= g", "params[k] -= g"? Then it may
 * be any array that somebody put into one.
 */
bool region_stores_items(struct region *region);

/*
 * Does a pass give attributes, or items, new values by their names: setattr(), vars(), "replace(w=...)", "update(w=...)"? In a function that
 * was seen to run: of a large library names lead to some of them from everywhere.
 */
bool region_gives_by_name(struct region *region, struct word name);

/* What the loop's own rows give an attribute. Returns how many values; no more than `most`. */
size_t region_gives_attribute(const struct region_span *span, struct word name, struct word *values, size_t most);

/* Does a function's "def" in the row take a parameter of that name, or its text give the name a value of its own? */
bool region_is_local(const struct source *code, int32_t def, struct word name);

#endif
