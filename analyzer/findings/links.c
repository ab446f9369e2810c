#include "findings/links.h"

#include <stdlib.h>

#include "findings/sites.h"

#define FOLLOWED_MAX 64u
#define ANOTHER_PART 10u /* of what is linked, so much is told of a second line */

const struct site *links_first(const struct site *second)
{
    const struct process *process = second->process;
    return &process->sites[run_index(&process->run->tables[DB_KIND_SITE], second->link->first_site)];
}

const struct site *links_another_first(const struct site *second)
{
    const struct process *process = second->process;
    const struct run_table *links = &process->run->tables[DB_KIND_LINK], *sites = &process->run->tables[DB_KIND_SITE];
    const struct place *place = second->link != NULL ? links_first(second)->place : NULL;
    const struct db_link *most = NULL;
    struct run_cursor cursor = {0};
    for (const struct db_link *link; place != NULL && (link = run_next(links, &cursor)) != NULL;) {
        const struct site *first = &process->sites[run_index(sites, link->first_site)];
        if (&process->sites[run_index(sites, link->second_site)] == second && first->place != NULL &&
            first->place->line != place->line && first->place->line != second->place->line &&
            link->objects * ANOTHER_PART >= second->linked && (most == NULL || link->objects > most->objects))
            most = link;
    }
    return most != NULL ? &process->sites[run_index(sites, most->first_site)] : NULL;
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
