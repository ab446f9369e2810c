#include "findings/claim_sorts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SORTS_MAX 4u /* further ones go with the last */

struct sorts {
    unsigned sorts[SORTS_MAX];
    double bytes[SORTS_MAX];
    size_t count;
};

static double equal_bytes(const struct claim *claim, const struct site *site)
{
    return (double)claim->rule->equal(site) * (double)site->record->size_bytes;
}

static const struct site *heaviest_of(const struct claim *claim, const struct claimed *claimed)
{
    const struct site *heaviest = claim->sites[claimed->first];
    for (size_t i = claimed->first; i < claimed->end; i++)
        if (equal_bytes(claim, claim->sites[i]) > equal_bytes(claim, heaviest))
            heaviest = claim->sites[i];
    return heaviest;
}

/* Its index. */
static size_t sort_add(struct sorts *sorts, unsigned sort, double bytes)
{
    size_t at = 0;
    while (at < sorts->count && sorts->sorts[at] != sort)
        at++;
    if (at == sorts->count && at == SORTS_MAX)
        at--;
    else if (at == sorts->count)
        sorts->sorts[sorts->count++] = sort;
    sorts->bytes[at] += bytes;
    return at;
}

static size_t greatest(const struct sorts *sorts)
{
    size_t most = 0;
    for (size_t i = 1; i < sorts->count; i++)
        most = sorts->bytes[i] > sorts->bytes[most] ? i : most;
    return most;
}

static bool is_one_expression(const struct claimed *one, const struct claimed *other)
{
    const struct line_span *a = &one->place->span, *b = &other->place->span;
    return a->line == b->line && a->column == b->column && a->end_line == b->end_line && a->end_column == b->end_column;
}

/* Of the places of one expression, which is reached in several ways, that with most equal bytes. */
static const struct claimed *leader_of(const struct claim *claim, const struct claimed *claimed)
{
    const struct claimed *leader = claimed;
    for (size_t i = 0; i < claim->place_count; i++) {
        const struct claimed *other = &claim->places[i];
        if (!other->joined && is_one_expression(other, claimed) && other->equal_bytes > leader->equal_bytes)
            leader = other;
    }
    return leader;
}

/* From then on `sort` of a place is its index among them. */
static struct sorts sorts_of(struct model *model, struct claim *claim)
{
    struct sorts sorts = {.count = 0};
    for (size_t i = 0; i < claim->place_count; i++) {
        struct claimed *claimed = &claim->places[i];
        const struct claimed *leader = leader_of(claim, claimed);
        if (!claimed->joined)
            claimed->sort = (unsigned)sort_add(&sorts, claim->rule->sort_of(model, heaviest_of(claim, leader)),
                                               claimed->equal_bytes);
    }
    for (size_t i = 0; i < claim->place_count; i++)
        if (claim->places[i].joined)
            claim->places[i].sort = (unsigned)greatest(&sorts);
    return sorts;
}

/* The claim's places of one sort alone. Its sites are freed by the caller. */
static struct claim claim_of_sort(const struct claim *claim, size_t sort)
{
    struct claim part = {.rule = claim->rule, .part = claim->part, .unseen = claim->unseen};
    part.sites = memory_zeroed(claim->count, sizeof(struct site *));
    for (size_t i = 0; i < claim->place_count; i++) {
        const struct claimed *claimed = &claim->places[i];
        size_t count = claimed->end - claimed->first;
        if (claimed->sort != sort)
            continue;
        memcpy(&part.sites[part.count], &claim->sites[claimed->first], count * sizeof(part.sites[0]));
        part.count += count;
        part.changes = part.changes || claimed->changes;
        part.one_size = part.one_size || claimed->one_size;
        claim_span(&part, &claimed->place->span, claimed->waste_s);
    }
    return part;
}

static struct finding fill_of_sort(struct model *model, const struct claim *claim, size_t sort,
                                   const struct finding *finding)
{
    struct finding told = {.kind = finding->kind, .line = finding->line, .span = finding->span};
    struct claim part = claim_of_sort(claim, sort);
    claim_fill(model, &part, &told);
    free(part.sites);
    told.say = claim->rule->say;
    return told;
}

static void add_beside(struct finding *finding, const struct finding *told)
{
    struct finding *beside = memory_zeroed(1, sizeof(*beside));
    *beside = *told;
    beside->beside = finding->beside;
    finding->beside = beside;
}

void claim_fill_by_sort(struct model *model, struct claim *claim, struct finding *finding)
{
    struct sorts sorts = claim->rule->sort_of != NULL ? sorts_of(model, claim) : (struct sorts){.count = 1};
    size_t first = greatest(&sorts);
    if (sorts.count > 1) {
        struct finding told = fill_of_sort(model, claim, first, finding);
        for (size_t i = sorts.count; i-- > 0;)
            if (i != first) {
                struct finding other = fill_of_sort(model, claim, i, finding);
                add_beside(finding, &other);
            }
        claim_fill(model, claim, finding);
        finding->object = told.object;
        finding->first = told.first;
        finding->second = told.second;
        finding->span = told.span;
        finding->parts = told.parts;
    } else {
        claim_fill(model, claim, finding);
    }
}

void claim_beside_free(struct finding *beside)
{
    while (beside != NULL) {
        struct finding *next = beside->beside;
        free(beside->claim);
        free(beside->advice);
        free(beside);
        beside = next;
    }
}
