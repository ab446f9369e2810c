/* What the sites of a place say for a rule's claim, and against it. */
#ifndef PIEPROF_ANALYZER_BALANCE_H
#define PIEPROF_ANALYZER_BALANCE_H

#include "findings/sites.h"

struct balance {
    uint64_t equal, examined;
    uint64_t firsts; /* that speak neither way, alone */
    double equal_objects, equal_bytes, differing_objects, differing_bytes;
    double apart_bytes; /* of sizes that are new each time, where others are the same: they speak neither way */
    bool changes;       /* something stays for rounds, and then is another */
};

/* Of a site's objects those that the rule counts out of. */
uint64_t balance_examined(const struct site_rule *rule, const struct site *site);

/* Adds a site that carries the claim... */
void balance_add_equal(struct balance *balance, const struct site_rule *rule, const struct site *site);

/* ... and one that does not. The first of a size speaks against it, too, where nearly all are the first of theirs (own_sizes.h). */
void balance_add_other(struct balance *balance, const struct site_rule *rule, const struct site *site,
                       bool has_own_size);

/* ... and one of another size (one_size.h). */
void balance_add_apart(struct balance *balance, const struct site *site);

/* What part of the bytes is of the sizes that the claim speaks of. */
double balance_part(const struct balance *balance);

/* Are too few equal, or is too much else made there? */
bool balance_is_against(const struct balance *balance, const struct site_rule *rule);

#endif
