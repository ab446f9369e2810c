/* The names that a statement gives an array's rows, or another view of it. */
#ifndef PIEPROF_ANALYZER_VIEW_NAME_H
#define PIEPROF_ANALYZER_VIEW_NAME_H

#include <stdbool.h>

#include "python/words.h"

/* The names and the iterable of "for a, b in c"; false for other statements. */
bool view_header(struct word statement, struct word *targets, struct word *iterable);

/* Does a "for" in the rows, be it a loop's header or a comprehension's "for x in xs for y in ys", give it another value in each pass? */
bool view_is_target(struct word rows, struct word name);

/* "row" of "for row in x", "for i, row in enumerate(x)", "for row, v in zip(x, vs)"; empty for other statements. */
struct word view_rows(struct word statement, struct word name);

/*
 * That, or "part" of "part = x[1:]", "part = x.T" or "part = x": for sure a view of the array. Not of "x[i]", which is a copy where `i` is an
 * array.
 */
struct word view_name(struct word statement, struct word name);

/*
 * The names that a statement gives what may be a part of it, or it itself in another shape: in a loop's header or comprehension ("for p in
 * ps", "for k, p in ps.items()", "for part in np.split(x, 4)"), by "p, q = ps", "p = ps[0]", "p = ps.pop()", "flat = x.reshape(-1)". Some of
 * them may be copies.
 */
void view_parts(struct word statement, struct word name, struct words *parts);

#endif
