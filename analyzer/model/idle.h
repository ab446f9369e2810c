/*
 * Objects that lie idle: not accessed for a part of their lives, as far as sampled accesses tell (db.h: struct db_heat).
 *
 * Of a site's objects the accesses are spread over DB_HEAT_PARTS equal parts of their lives. A window of parts is idle where
 * accesses are surely less than half as dense as if they were spread evenly: with k of N accesses in a window of g parts, N * g /
 * DB_HEAT_PARTS were to be expected; k must be so few that even half of that would give no more in one of 10,000 windows (the upper
 * bound of a Poisson mean; there are about a hundred windows to choose from). The window in which most are missing is told.
 * No access seen is not none made: single rows of a table that are read now and then are hardly ever sampled. So nothing is said
 * of objects that were not made again and again, each in the place of one that had ended: of tables, data sets and weights.
 */
#ifndef PIEPROF_ANALYZER_IDLE_H
#define PIEPROF_ANALYZER_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/phase.h"
#include "pieprof/db.h"

#define IDLE_LATE_PARTS 4u

struct idle {
    unsigned from, to;       /* parts of a life; equal: nothing is idle */
    uint64_t accesses, seen; /* sampled: all, and those in the window */
    uint64_t late;           /* of all: in the last IDLE_LATE_PARTS */
    double expected;         /* there, were they spread evenly */
    double at_most;          /* the bound: how dense they can be there, as a part of that */
    double seconds;          /* of an object's life, in the mean: how long the window is */
};

/* What the sites of a line say: the window of the one with most bytes times seconds, and the sums over those that say anything. */
struct line_idle {
    struct idle widest;
    const struct site *site; /* that one; NULL: none */
    enum phase before,
        after; /* in which its objects are used before the window, and after it; PHASE_COUNT: not known */
    double byte_seconds, site_byte_seconds;
    uint64_t objects;
    uint64_t peak_bytes; /* that stood at the peak, kept though in the idle part that reaches to their end */
    uint64_t accesses;   /* sampled, to any of the line's objects */
};

struct model;

/* By the rule above. False: nothing is. */
bool idle_of(const struct db_site *site, const struct db_heat *heat, struct idle *idle);

/* The greatest mean at which Poisson-distributed counts are still `count` or fewer in one of 10,000. */
double idle_poisson_bound(uint64_t count);

/* After lifetime_charge: line->idle, and model->accesses. */
void idle_charge(struct model *model);

#endif
