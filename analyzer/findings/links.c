#include "findings/links.h"

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

bool links_are_of_one(const uint64_t *origins, size_t origin_count, const uint64_t *ways, size_t way_count)
{
    const uint64_t *inside = NULL, *outside = NULL;
    for (size_t i = 0; i < origin_count; i++) {
        if ((inside != NULL && *inside == origins[i]) || (outside != NULL && *outside == origins[i]))
            continue;
        size_t at = 0;
        while (at < way_count && ways[at] != origins[i])
            at++;
        const uint64_t **one = at < way_count ? &inside : &outside;
        if (*one != NULL)
            return false;
        *one = &origins[i];
    }
    return origin_count > 0;
}
