/*
 * A statement that clears gradients, and behind it in its suite the call of a function of the same file that begins with clearing the same. By
 * the text; `code`: source_code().
 */
#ifndef PIEPROF_ANALYZER_CLEAR_CALL_H
#define PIEPROF_ANALYZER_CLEAR_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"

/* Rows: */
struct clear_call {
    int32_t first;           /* that clears, ahead of the call */
    int32_t call, call_last; /* of the statement that calls the function */
    int32_t function;        /* of its `def` */
    int32_t second;          /* that clears in it */
};

/*
 * Of the row `first`. Whoever comes there comes to the second, and nothing between the two adds to gradients, reads them or takes a step,
 * as far as the text says: what is called in between is the model and what leaves everything as it is.
 */
bool clear_call_find(const struct source *code, int32_t first, struct clear_call *found);

#endif
