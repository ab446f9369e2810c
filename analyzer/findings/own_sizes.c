#include "findings/own_sizes.h"

#include <stdlib.h>

#include "base/memory.h"

#define SIZES_MIN 2u /* one alone may be made once, and kept */

static bool are_of_one_call(const struct sized *one, const struct sized *other)
{
    return one->site->process == other->site->process && one->site->record->node == other->site->record->node;
}

static int call_order(const void *left, const void *right)
{
    const struct site *a = ((const struct sized *)left)->site, *b = ((const struct sized *)right)->site;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->record->node != b->record->node)
        return a->record->node < b->record->node ? -1 : 1;
    return (a->record > b->record) - (a->record < b->record);
}

struct own_sizes own_sizes_of(const struct site_rule *rule, const struct place *place)
{
    struct own_sizes sizes = {.rule = rule};
    size_t capacity = 0;
    for (const struct site *site = place->sites; site != NULL; site = site->next) {
        sizes.sites = memory_grow(sizes.sites, sizes.count, &capacity, sizeof(struct sized));
        sizes.sites[sizes.count++] = (struct sized){.site = site};
    }
    if (sizes.count > 0)
        qsort(sizes.sites, sizes.count, sizeof(struct sized), call_order);
    return sizes;
}

void own_sizes_end(struct own_sizes *sizes)
{
    free(sizes->sites);
    *sizes = (struct own_sizes){0};
}

size_t own_sizes_end_of_call(const struct own_sizes *sizes, size_t first)
{
    size_t end = first;
    while (end < sizes->count && are_of_one_call(&sizes->sites[first], &sizes->sites[end]))
        end++;
    return end;
}

void own_sizes_find(struct own_sizes *sizes)
{
    for (size_t first = 0, end; first < sizes->count && sizes->rule->first != NULL; first = end) {
        uint64_t firsts = 0, equal = 0;
        end = own_sizes_end_of_call(sizes, first);
        for (size_t i = first; i < end; i++) {
            const struct sized *sized = &sizes->sites[i];
            equal += sized->carries ? sizes->rule->equal(sized->site) : 0;
            firsts += sized->carries ? 0 : sizes->rule->first(sized->site);
        }
        for (size_t i = first; i < end; i++)
            sizes->sites[i].has_own_size = firsts >= SIZES_MIN && firsts > equal;
    }
}
