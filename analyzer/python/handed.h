/* Which function a statement hands a buffer to, by the text. */
#ifndef PIEPROF_ANALYZER_HANDED_H
#define PIEPROF_ANALYZER_HANDED_H

#include <stdbool.h>
#include <stddef.h>

#include "python/words.h"

struct handed {
    struct word function;  /* "self.fit"; empty: something without a name is called */
    bool is_behind_dot;    /* "step" of "Net().step(x)" */
    struct word arguments; /* all of them */
    struct word keyword;   /* "x" of "x=buffer"; empty: it is handed by its place: */
    size_t place;          /* among the arguments, from 0 */
};

/*
 * The first call in the statement that has the buffer's name itself among its arguments, and may store into it: Python's own functions,
 * NumPy's and PyTorch's do not (where they are asked to, changed.c sees it).
 */
bool handed_find(struct word statement, struct word buffer, struct handed *handed);

/* Likewise the first that has it, or one of its items ("buffer[0]"), be it a call of what has no name: "hooks[0](buffer)". */
bool handed_find_item(struct word statement, struct word buffer, struct handed *handed);

/* Is it a function of NumPy's or PyTorch's, by the name of its module? */
bool handed_is_of_arrays(struct word function);

/* Does the statement call anything that may be the program's own? */
bool handed_calls_others(struct word statement);

/* The next such call of `rest`, which keeps what stands behind the function's name. False at the end. */
bool handed_next_other(struct word *rest, struct word *function);

#endif
