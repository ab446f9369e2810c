/* Does a `while` loop count one up in each round, to an end that is there before? Of any other data may say how often it goes round. */
#ifndef PIEPROF_ANALYZER_WHILE_COUNT_H
#define PIEPROF_ANALYZER_WHILE_COUNT_H

#include <stdbool.h>

#include "python/words.h"

struct while_count {
    struct word counter;
    struct word limit; /* a name; empty: the length of something */
};

/* "while i < len(x):" with an "i += 1" in the body's own suite; whether that gives either otherwise, too, is not looked at. */
bool while_count_read(struct word header, struct word body, struct while_count *count);

#endif
