/*
 * Statements that fill a buffer with one value, and those below them that store into all of it before anybody reads it: by the text, in
 * one suite, one right behind the other. What is not understood covers nothing.
 */
#ifndef PIEPROF_ANALYZER_COVER_H
#define PIEPROF_ANALYZER_COVER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

#define COVER_DIMENSIONS_MAX 6u

/* "self.sums = np.zeros((n, 10))", "sums.fill(0)", "sums[:] = 0", "sums *= 0". */
struct cover_fill {
    struct word buffer;
    struct word like;                             /* "x" of zeros_like(x); empty: not told so */
    struct word dimensions[COVER_DIMENSIONS_MAX]; /* "n", "10" */
    uint32_t dimension_count;                     /* 0: not told */
    bool is_made;                                 /* by the statement */
    int32_t last;                                 /* its last row */
};

/* Does the statement that begins on row `line` fill a buffer? `code`: source_code(). */
bool cover_read_fill(const struct source *code, int32_t line, struct cover_fill *fill);

/*
 * The row of the first store of those that cover all of it: with out=, "[:] =", copy_, copyto, fill or normal_; slices that follow each other from end
 * to end ("[:n]", "[n:]"); or a loop, each round of which stores into one index, or one slice, of as many as there are (these two of what
 * the fill made and gave a local name). 0: nothing does.
 */
int32_t cover_find(const struct source *code, int32_t line, const struct cover_fill *fill);

#endif
