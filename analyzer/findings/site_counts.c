#include "findings/site_counts.h"

#include "findings/far.h"

#define OTHER_OF_REPLICAS 50u /* one in so many may equal another than the one before */

uint64_t site_results(const struct site *site)
{
    const struct db_site *record = site->record;
    if (record->looked_at == 0 || record->looked_at >= record->births)
        return record->births - record->workspaces - record->unfilled;
    return (uint64_t)((double)record->births * ((double)record->examined / (double)record->looked_at));
}

bool site_results_are_known(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->looked_at >= record->births || record->examined == 0 || record->examined == record->looked_at;
}

uint64_t site_new(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->examined - record->constant - record->replicas;
}

uint64_t site_first(const struct site *site)
{
    return site_new(site) > 0 ? 1 : 0;
}

bool site_new_has_digits(const struct site *site)
{
    return site->record->new_digits + 1u >= DB_NEW_MEASURED;
}

bool site_new_are_digits(const struct site *site)
{
    uint64_t contents = site_new(site), measured = contents < DB_NEW_MEASURED ? contents : DB_NEW_MEASURED;
    return measured > 0 && site->record->new_digits >= measured;
}

uint64_t site_fresh(const struct site *site)
{
    return site_new(site) - site->record->copies;
}

uint64_t site_new_of_burst(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t bursts = record->new_bursts, contents = site_new(site), most = record->period > 1 ? record->period : 1;
    bool is_known = record->new_last != UINT32_MAX && bursts > 0 && contents % bursts == 0;
    return is_known && contents / bursts <= most ? contents / bursts : 0;
}

/* Contents that come again, as far as is known: all, where one period has room for them, or those of each of many bursts. */
static uint64_t contents_of_period(const struct site *site)
{
    uint64_t contents = site_new(site) > 0 ? site_new(site) : 1, of_burst = site_new_of_burst(site);
    return of_burst > 0 && of_burst < contents && contents > site->record->period ? of_burst : contents;
}

uint32_t site_period(const struct site *site)
{
    uint64_t contents = contents_of_period(site);
    bool stays = site_new(site) <= 1 && site->record->constant == 0;
    if (site_repeats_far(site))
        return site_far_period(site);
    if (!stays && site->record->period_replicas <= site->record->replicas / 2)
        return 0;
    /* Those of one value come round, too, and so may those of which nothing is known. */
    bool counts_all = site->record->constant == 0 && site->record->undecided == 0;
    return counts_all && contents < site->record->period ? (uint32_t)contents : site->record->period;
}

bool site_equals_at_period(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->period > 0 && (record->replicas - record->period_replicas) * OTHER_OF_REPLICAS <= record->replicas;
}

bool site_equals_last(const struct site *site)
{
    return site->record->period == 1 && site_equals_at_period(site);
}
