/* The names that may stand for one array in the files on the way to a place, and where the array comes from. */
#ifndef PIEPROF_ANALYZER_KEPT_NAMES_H
#define PIEPROF_ANALYZER_KEPT_NAMES_H

#include "findings/kept_ways.h"

#define KEPT_NAMES_MAX 40u

enum kept_name_kind {
    KEPT_PLAIN,
    KEPT_CALLED, /* "f" of "f(...)", which returns it */
};

/* A name that may stand for the array, wherever in a file: functions that have a name in common are not told apart. */
struct kept_name {
    enum kept_name_kind kind;
    const struct source *code;
    struct word word;
    bool stays;     /* in all functions from the place to the loop it must be the same array */
    bool is_origin; /* the array comes from there: what it is given counts, in this function: */
    int32_t def;    /* ... the row of its "def"; 0: the module */
    bool is_given;  /* ... and something is */
    bool is_list;   /* it may stand for a list that holds the array */
};

struct kept_search {
    const struct kept_ways *ways;
    struct kept_name names[KEPT_NAMES_MAX];
    size_t count, mentions, calls;
    size_t loop_level;
    int32_t first, last; /* the loop's rows */
    bool failed;         /* something is not understood, or changes it */
};

/* The level whose function that is; SIZE_MAX: none. */
size_t kept_level_at(const struct kept_search *search, const struct source *code, int32_t def);

/* Once; NULL where there is no more room, or the file is not to be understood. */
struct kept_name *kept_add_name(struct kept_search *search, enum kept_name_kind kind, const struct source *code,
                                struct word word);

/* What a name of the function stands for comes from there, or from who calls it. False: it is not seen. */
bool kept_add_origin(struct kept_search *search, const struct source *code, int32_t def, struct word word);

/* The same of an expression that stands in the code. */
bool kept_find_origin(struct kept_search *search, const struct source *code, struct word value);

/* Does the text ask PyTorch for gradients? */
bool kept_has_gradient(struct word text);

#endif
