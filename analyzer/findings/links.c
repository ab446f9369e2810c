#include "findings/links.h"

#include <stdlib.h>

#include "findings/sites.h"

#define FOLLOWED_MAX 64u

const struct site *links_first(const struct site *second)
{
    const struct process *process = second->process;
    return &process->sites[run_index(&process->run->tables[DB_KIND_SITE], second->link->first_site)];
}

static bool follows(const struct site *site)
{
    if (site->link == NULL || site->link->objects < site_new(site))
        return false;
    const struct site *first = links_first(site);
    bool is_of_line = first->place != NULL && site->place != NULL && first->place->line == site->place->line;
    return is_of_line && first->record->size_bytes == site->record->size_bytes;
}

const struct site *links_origin(const struct site *site)
{
    for (unsigned i = 0; i < FOLLOWED_MAX && follows(site); i++)
        site = links_first(site);
    return site;
}

static int origin_order(const void *left, const void *right)
{
    const struct links_source *a = left, *b = right;
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

bool links_are_of_one(struct links_source *sources, size_t count)
{
    qsort(sources, count, sizeof(*sources), origin_order);
    for (size_t i = 1; i < count; i++)
        if (sources[i].instruction == sources[i - 1].instruction && sources[i].way != sources[i - 1].way)
            return false;
    return count > 0;
}
