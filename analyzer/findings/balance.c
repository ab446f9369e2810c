#include "findings/balance.h"

#define CHANGES_AGAIN_MIN 3u /* so many times what it was, for each change */

uint64_t balance_examined(const struct site_rule *rule, const struct site *site)
{
    return rule->examined != NULL ? rule->examined(site) : site->record->examined;
}

/* What `objects` of those examined are of all results: a quiet site is looked at less often than one that shows something. */
static double scaled(const struct site_rule *rule, const struct site *site, uint64_t objects)
{
    uint64_t examined = balance_examined(rule, site);
    return examined > 0 ? (double)objects / (double)examined * (double)site_results(site) : 0;
}

/*
 * Does it stay for a while, and then is another? What one call makes may depend on its inputs more and less: the counts of the
 * classes of a fold's labels may be those of the fold before, their order is not.
 */
static bool changes_in_rounds(const struct site *site)
{
    uint64_t contents = site_new(site);
    return contents > 1 && site->record->replicas >= CHANGES_AGAIN_MIN * contents && site_equals_last(site);
}

void balance_add_equal(struct balance *balance, const struct site_rule *rule, const struct site *site)
{
    double equal = scaled(rule, site, rule->equal(site));
    balance->equal += rule->equal(site);
    balance->examined += balance_examined(rule, site);
    balance->equal_objects += equal;
    balance->equal_bytes += equal * (double)site->record->size_bytes;
}

void balance_add_other(struct balance *balance, const struct site_rule *rule, const struct site *site,
                       bool has_own_size)
{
    uint64_t firsts = rule->first != NULL ? rule->first(site) : 0;
    double differing = scaled(rule, site, rule->differing(site) + (has_own_size ? firsts : 0));
    balance->differing_objects += differing;
    balance->differing_bytes += differing * (double)site->record->size_bytes;
    balance->firsts += has_own_size ? 0 : firsts;
    balance->changes = balance->changes || changes_in_rounds(site);
}

void balance_add_apart(struct balance *balance, const struct site *site)
{
    balance->apart_bytes += (double)site_results(site) * (double)site->record->size_bytes;
}

double balance_part(const struct balance *balance)
{
    double own = balance->equal > 0 ? balance->equal_bytes * (double)balance->examined / (double)balance->equal : 0;
    return balance->apart_bytes > 0 ? own / (own + balance->apart_bytes) : 1;
}

bool balance_is_against(const struct balance *balance, const struct site_rule *rule)
{
    return balance->equal < rule->equal_min || balance->differing_bytes * 10 > balance->equal_bytes ||
           balance->firsts > balance->equal;
}
