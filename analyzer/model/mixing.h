/*
 * Pages on which hot and cold objects lie together (db.h: struct db_neighbour). Whenever an access to an object is sampled that
 * shares its page with others, all of them had the same chance, for each of their bytes on it: so the two counts of a pair of lines
 * compare without anybody having to know how long their objects lived, or what else was sampled.
 */
#ifndef PIEPROF_ANALYZER_MIXING_H
#define PIEPROF_ANALYZER_MIXING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIXING_RATIO 4.0  /* from here on two lines' objects are of different heat */
#define MIXING_SHARE 0.05 /* of all sampled accesses to objects: from here on it matters */

/* Two lines whose objects share pages, while they do. */
struct mix {
    const struct line *hot, *cold;
    uint64_t accesses, cold_accesses; /* sampled on their pages: to the hot one's objects, to the cold one's */
    double hot_bytes, cold_bytes;     /* of a page, in the mean */
    double ratio_low; /* at least so many times as hot for each byte, by the lower end of the 95 % interval */
};

struct mixing {
    struct mix *mixes; /* those of different heat, most accesses first */
    size_t count, capacity;
    uint64_t accesses; /* sampled, on these pages; one counts for each pair that it tells of */
};

struct model;

/* After idle_charge. Fills model->mixing. */
void mixing_charge(struct model *model);
void mixing_free(struct model *model);

/* Is it worth a line on the page? */
bool mixing_matters(const struct model *model);

#endif
