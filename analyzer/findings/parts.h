/* The expressions of one row that a finding speaks of, none within another, from left to right. */
#ifndef PIEPROF_ANALYZER_PARTS_H
#define PIEPROF_ANALYZER_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols/line_table.h"

#define FINDING_PARTS_MAX 16u

struct finding_parts {
    struct line_span spans[FINDING_PARTS_MAX];
    double seconds[FINDING_PARTS_MAX];
    size_t count; /* 0: not known, or not all of one row */
};

/* What lies within another is of that part. False where there is no room, and where it is not of one row, or has no columns. */
bool parts_add(struct finding_parts *parts, struct line_span span, double seconds);

/* The one that takes longest, of some. */
size_t parts_heaviest(const struct finding_parts *parts);

#endif
