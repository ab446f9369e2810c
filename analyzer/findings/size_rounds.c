#include "findings/size_rounds.h"

#include "findings/site_counts.h"

#define SIZES_MIN 3u   /* fewer may stay equally long by chance... */
#define SIZES_TOLD 2u  /* ... where no text tells */
#define AGAIN_MIN 4u   /* births of each */
#define GROWING_MIN 4u /* sizes: fewer may come in order by chance */

static bool is_result(const struct site *site)
{
    return site->record->examined > 0 && site->record->workspaces * 2 <= site->record->looked_at;
}

static bool is_of_instruction(const struct site *site, const struct site *other)
{
    return other->python == site->python && other->process == site->process &&
           other->record->ordinal == site->record->ordinal;
}

static bool holds_one(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->replicas > 0 && site_new(site) == 1 && record->constant == 0 && record->undecided == 0;
}

bool site_size_takes_turns(const struct site *site)
{
    return (site->record->unlike & DB_UNLIKE_SIZES) != 0;
}

/* Of the site's instruction, whose objects are all made in the same rounds, once in each; 0: they are not. */
static uint32_t sizes_of_round(const struct site *site)
{
    uint64_t births = site->record->births;
    uint32_t sizes = 0, shorter = 0;
    if (births < AGAIN_MIN || site->place == NULL)
        return 0;
    for (const struct site *other = site->place->sites; other != NULL; other = other->next) {
        if (!is_of_instruction(site, other) || !is_result(other))
            continue;
        if (site_size_takes_turns(other) || !holds_one(other) || other->record->births > births)
            return 0;
        shorter += other->record->births < births;
        sizes++;
    }
    return shorter <= 1 ? sizes : 0; /* the run may end within the last */
}

/* A line may have thousands of sizes, each asked about by many rules: it is kept. */
static bool is_of_round(const struct site *site, uint32_t sizes_min)
{
    struct site *memo = &site->process->sites[site - site->process->sites];
    if (!memo->round_is_known)
        memo->round_sizes = sizes_of_round(site);
    memo->round_is_known = true;
    return memo->round_sizes >= sizes_min;
}

bool site_size_is_of_round(const struct site *site)
{
    return is_of_round(site, SIZES_MIN);
}

bool site_size_may_be_of_round(const struct site *site)
{
    return is_of_round(site, SIZES_TOLD);
}

/* A place's sites stand in the order of their first births, the last one first. */
bool site_sizes_grow(const struct site *site)
{
    uint64_t sizes = 0, grown = 0, shrunk = 0, before = 0;
    for (const struct site *other = site->place != NULL ? site->place->sites : NULL; other != NULL;
         other = other->next) {
        if (!is_of_instruction(site, other) || other->record->node != site->record->node || !is_result(other))
            continue;
        uint64_t size = other->record->size_bytes;
        grown += sizes > 0 && size < before;
        shrunk += sizes > 0 && size > before;
        before = size;
        sizes++;
    }
    return sizes >= GROWING_MIN && (grown == sizes - 1 || shrunk == sizes - 1);
}
