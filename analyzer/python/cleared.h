/*
 * Two statements of one suite that clear the same gradients of PyTorch's (clear.h). By the text: whether gradients come in between is
 * for the samples to say.
 */
#ifndef PIEPROF_ANALYZER_CLEARED_H
#define PIEPROF_ANALYZER_CLEARED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"

struct cleared {
    int32_t first, second;         /* their rows, rising: those that clear */
    int32_t first_row, second_row; /* where the statements begin */
};

/*
 * The row `line` and the nearest other one of its suite that clears the same. False: there is none, or the file stores into gradients by
 * itself. `code`: source_code().
 */
bool cleared_find(const struct source *code, int32_t line, struct cleared *pair);

/* Is nothing called between the two that may be the program's own, but the model? Such might add to gradients, or take a step. */
bool cleared_is_quiet(const struct source *code, const struct cleared *pair);

/*
 * Does whoever comes to the first come to the second, does nobody look at gradients elsewhere, and is nothing called from the second round to
 * the first that may be the program's own, or a step?
 */
bool cleared_is_closed(const struct source *code, const struct cleared *pair);

/* The next row from `from` on that asks for gradients ("loss.backward()"); 0: none. */
int32_t cleared_backward(const struct source *code, int32_t from);

#endif
