/*
 * Calls whose results have another size nearly each time, as the support vectors of a machine that is fitted with another
 * penalty: each is the first of its size, which is not the same as one that is made once.
 */
#ifndef PIEPROF_ANALYZER_OWN_SIZES_H
#define PIEPROF_ANALYZER_OWN_SIZES_H

#include "findings/sites.h"

struct sized {
    const struct site *site;
    bool carries; /* the rule's claim, by itself */
    bool has_own_size;
    bool is_apart; /* one_size.h */
};

struct own_sizes {
    const struct site_rule *rule;
    struct sized *sites;
    size_t count;
};

/* All sites of a place, those of one call beside each other. `carries` is the caller's to fill. Freed by own_sizes_end(). */
struct own_sizes own_sizes_of(const struct site_rule *rule, const struct place *place);
void own_sizes_end(struct own_sizes *sizes);

/* One behind the last site of the call whose first that is. */
size_t own_sizes_end_of_call(const struct own_sizes *sizes, size_t first);

/* Fills `has_own_size`: of all sites of a call where more results are the first of their size than equal an earlier one. */
void own_sizes_find(struct own_sizes *sizes);

#endif
