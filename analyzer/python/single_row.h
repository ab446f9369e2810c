/* One row of an array, made a batch of one: "x[i:i + 1]", "x[i].unsqueeze(0)", "[row]". By the text of a loop. */
#ifndef PIEPROF_ANALYZER_SINGLE_ROW_H
#define PIEPROF_ANALYZER_SINGLE_ROW_H

#include "python/loop_text.h"

/* "i:i + 1", where the loop counts by i. */
bool single_row_is_slice(const struct loop_text *loop, struct word item);

/* What the text of a value is; ROW_NONE: not known to be a row. */
struct single_row single_row_read(const struct loop_text *loop, struct word value);

/* The name is given that value: one that is a batch of one is kept with the loop's rows. False: it is none. */
bool single_row_note(struct loop_text *loop, struct word name, struct word value);

/* A function, as if it were the body of a loop that goes through what it is handed. */
void single_row_read_function(struct loop_text *loop, const struct source *source, int32_t def);

/*
 * "net(x[i:i + 1])": a call whose first argument is a row, be it a batch or not. `anywhere`: in the expression, which else is that call. False:
 * there is none.
 */
bool single_row_call(const struct loop_text *loop, struct word expression, bool anywhere, struct word *function,
                     struct single_row *row);

#endif
