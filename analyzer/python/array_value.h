/* What an expression stands for, by its text: something new, or what others have as well. */
#ifndef PIEPROF_ANALYZER_ARRAY_VALUE_H
#define PIEPROF_ANALYZER_ARRAY_VALUE_H

#include <stdbool.h>

#include "python/words.h"

enum value_kind {
    VALUE_UNKNOWN,
    VALUE_NEW,    /* nothing that anything else has */
    VALUE_SHARED, /* `name` ("x", "self.x"), or a part of it */
    VALUE_CALLED, /* what the program's function `name` returns */
};

struct value {
    enum value_kind kind;
    struct word name;
};

/* Of code without strings and comments. */
struct value value_of(struct word expression);

/*
 * "order" of "x[order]": does all that the code gives that name make it an array of indices? What is taken is a copy then.
 */
bool index_is_array(struct word code, struct word subscript);

#endif
