/* Whether an expression's text takes a few of what a call gives, from one end: "[:5]", "[-k:][::-1]", "[:, :k + 1]", "[-1]". */
#ifndef PIEPROF_ANALYZER_PART_TAKEN_H
#define PIEPROF_ANALYZER_PART_TAKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "python/words.h"

enum part {
    PART_ALL,   /* all of it, in another order at most, or one of the tuple that the call returns */
    PART_FEW,   /* a slice from one end to a number or a name: a count; or one element, by a number of two digits */
    PART_ONE,   /* one element, wherever: "[n // 2]", "[int(0.99 * n)]"; who asks again in a loop takes more of them */
    PART_OTHER, /* anything else: what is taken is not known */
};

/*
 * What a call gives: PyTorch's sort() two tensors, so that "[0]" behind it is all of the first. Of an array "[0]" may be its only row, unless
 * it is known to have one axis.
 */
enum part_of { PART_OF_TUPLE, PART_OF_ARRAY, PART_OF_FLAT };

/*
 * What stands behind a call's closing bracket: its subscripts, and PyTorch's .values and .indices, in code without strings and comments (source_code()),
 * which ends in NUL. `*end`: behind what was read; of PART_FEW and PART_ONE the slice is [*slice, *end).
 * A slice to an expression other than a count (half of the length, say) is PART_OTHER: much may be taken.
 */
enum part part_taken(const char *text, enum part_of of, const char **slice, const char **end);

/* The slice, or else the last element's index, among a subscript's items: its place, how many items there are, and of how many elements it tells ("k" of "[:, -k:]"). */
struct part_slice {
    size_t place, items;
    struct word count;
};

/* Of "[...]" at [slice, end), which is PART_FEW, or PART_ONE (the count is "1"). False where no item does. */
bool part_slice_read(const char *slice, const char *end, struct part_slice *read);

#endif
