#include "findings/sites.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/select.h"

/* Sites that carry a rule's claim on one line. */
struct claim {
    const struct site_rule *rule;
    const struct site **sites;
    size_t count, capacity;
    bool joining; /* second round: sites that count beside those of the first */
    double waste_s;
    struct line_span span; /* of all its places on the line's row; line 0 before the first */
};

uint64_t site_results(const struct site *site)
{
    return site->record->births - site->record->workspaces - site->record->unfilled;
}

uint64_t site_fresh(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->examined - record->constant - record->replicas - record->copies;
}

uint32_t site_period(const struct site *site)
{
    uint64_t contents = site_fresh(site) > 0 ? site_fresh(site) : 1;
    return contents < site->record->period ? (uint32_t)contents : site->record->period;
}

static double bytes_of(const struct site *site, uint64_t objects)
{
    return (double)objects * (double)site->record->size_bytes;
}

/* Widens the span to hold the place's: a fix moves all of them. Where one has no columns, none are told. */
static void claim_span(struct claim *claim, const struct line_span *span)
{
    if (claim->span.line == 0) {
        claim->span = *span;
        return;
    }
    bool rows = span->column < 0 || span->end_line != span->line || claim->span.column < 0 ||
                claim->span.end_line != claim->span.line;
    if (rows) {
        claim->span.column = claim->span.end_column = -1;
        return;
    }
    if (span->column < claim->span.column)
        claim->span.column = span->column;
    if (span->end_column > claim->span.end_column)
        claim->span.end_column = span->end_column;
}

static bool carries(struct model *model, const struct claim *claim, const struct site *site)
{
    return claim->joining ? claim->rule->joins(site) : claim->rule->holds(model, site);
}

/* Adds the place's sites when its evidence holds. */
static void claim_place(struct model *model, struct claim *claim, struct place *place)
{
    const struct site_rule *rule = claim->rule;
    size_t before = claim->count;
    double equal = 0, examined = 0, equal_bytes = 0, differing_bytes = 0;
    for (const struct site *site = place->sites; site != NULL; site = site->next) {
        if (!carries(model, claim, site)) {
            differing_bytes += bytes_of(site, rule->differing(site));
            continue;
        }
        claim->sites = memory_grow(claim->sites, claim->count, &claim->capacity, sizeof(struct site *));
        claim->sites[claim->count++] = site;
        equal += (double)rule->equal(site);
        examined += (double)site->record->examined;
        equal_bytes += bytes_of(site, rule->equal(site));
    }
    if (claim->count == before || equal < (double)rule->equal_min || differing_bytes * 10 > equal_bytes) {
        claim->count = before;
        return;
    }
    claim->waste_s += (double)place->ns * 1e-9 * equal / examined;
    claim_span(claim, &place->span);
    place->claimed = true;
}

static int size_order(const void *left, const void *right)
{
    const struct db_site *a = (*(const struct site *const *)left)->record,
                         *b = (*(const struct site *const *)right)->record;
    if (a->size_bytes != b->size_bytes)
        return a->size_bytes > b->size_bytes ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Sums one run of sites of equal size, [first, end). `*heaviest` is the one with most equal objects. */
static struct finding_object object_of(const struct claim *claim, size_t first, size_t end,
                                       const struct site **heaviest)
{
    struct finding_object object = {.size_bytes = claim->sites[first]->record->size_bytes};
    *heaviest = claim->sites[first];
    for (size_t i = first; i < end; i++) {
        const struct site *site = claim->sites[i];
        object.made += site_results(site);
        object.examined += site->record->examined;
        object.equal += claim->rule->equal(site);
        if (claim->rule->equal(site) > claim->rule->equal(*heaviest))
            *heaviest = site;
    }
    object.period = site_period(*heaviest);
    return object;
}

/* Sums over all sizes, and the size with most equal bytes as the one that is told. */
static void fill_objects(const struct claim *claim, struct finding *finding)
{
    double most_bytes = -1, all_bytes = 0;
    uint64_t sizes = 0, made = 0;
    for (size_t first = 0, end; first < claim->count; first = end, sizes++) {
        uint64_t size_bytes = claim->sites[first]->record->size_bytes;
        for (end = first; end < claim->count && claim->sites[end]->record->size_bytes == size_bytes; end++)
            ;
        const struct site *heaviest;
        struct finding_object object = object_of(claim, first, end, &heaviest);
        double bytes = (double)object.equal * (double)size_bytes;
        all_bytes += bytes;
        finding->part += object.equal;
        finding->whole += object.examined;
        made += object.made;
        if (bytes <= most_bytes)
            continue;
        most_bytes = bytes;
        finding->object = object;
        finding->first = finding->second = heaviest;
    }
    finding->object.sizes = sizes;
    finding->exact = finding->whole == made;
    finding->waste_bytes = all_bytes < 0x1p62 ? (uint64_t)all_bytes : UINT64_C(1) << 62;
}

static void claim_line(struct model *model, struct line *line, struct claim *claim)
{
    claim->count = 0;
    claim->waste_s = 0;
    claim->span = (struct line_span){0};
    for (int round = 0; round < 2; round++) {
        claim->joining = round == 1;
        if (claim->joining && (claim->count == 0 || claim->rule->joins == NULL))
            break;
        for (struct place *place = line->places; place != NULL; place = place->next)
            if (!place->claimed)
                claim_place(model, claim, place);
    }
    double most_s = (double)(line->times.ns[TIME_NATIVE] + line->times.ns[TIME_BOUNDARY]) * 1e-9;
    claim->waste_s = claim->waste_s < most_s ? claim->waste_s : most_s;
    if (claim->count == 0 || model_percent(model, claim->waste_s) < claim->rule->waste_percent)
        return;
    qsort(claim->sites, claim->count, sizeof(struct site *), size_order);
    struct finding *finding = finding_add(model, line, claim->rule->kind, NULL);
    finding->waste_s = claim->waste_s;
    finding->span = claim->span;
    fill_objects(claim, finding);
    finding->category = claim->rule->name(model, finding);
    finding->say = claim->rule->say;
}

void sites_find(struct model *model, const struct site_rule *rule)
{
    struct claim claim = {.rule = rule};
    for (size_t i = 0; i < model->line_total; i++)
        if (model->lines[i]->places != NULL)
            claim_line(model, model->lines[i], &claim);
    free(claim.sites);
}
