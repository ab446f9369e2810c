/* What a finding tells of the objects whose sites carry its claim. */
#include "findings/claim.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/balance.h"
#include "findings/far.h"
#include "findings/links.h"
#include "findings/loop.h"
#include "findings/unlike_rounds.h"

#define WAYS_MAX 64u
#define ROUND_PART 4 /* what comes round, and is less than that part, does not speak for the line */

void claim_span(struct claim *claim, const struct line_span *span, double seconds)
{
    bool is_first = claim->span.line == 0, is_known = claim->parts.count > 0;
    if (is_first)
        claim->span = *span;
    if ((is_first || is_known) && parts_add(&claim->parts, *span, seconds))
        return;
    claim->parts.count = 0;
    if (!is_first)
        claim->span.column = claim->span.end_column = -1;
}

/* What is told of the far history rests on other objects, each of which is known. */
static uint64_t undecided_of(const struct site *site)
{
    return site_repeats_far(site) ? 0 : site->record->undecided;
}

/* Of what is equal the part that takes longest; all of them where they are several. */
static void fill_spans(const struct claim *claim, struct finding *finding)
{
    const struct finding_parts *parts = &claim->parts;
    finding->span = parts->count > 0 ? parts->spans[parts_heaviest(parts)] : claim->span;
    if (parts->count > 1)
        finding->parts = *parts;
}

static int size_order(const void *left, const void *right)
{
    const struct db_site *a = (*(const struct site *const *)left)->record,
                         *b = (*(const struct site *const *)right)->record;
    if (a->size_bytes != b->size_bytes)
        return a->size_bytes > b->size_bytes ? -1 : 1;
    return a < b ? -1 : a > b;
}

static const struct site *heaviest_of(const struct claim *claim, size_t first, size_t end)
{
    const struct site *heaviest = claim->sites[first];
    for (size_t i = first; i < end; i++)
        if (claim->rule->equal(claim->sites[i]) > claim->rule->equal(heaviest))
            heaviest = claim->sites[i];
    return heaviest;
}

/*
 * Sums one run of sites of equal size, [first, end). `heaviest` is the one that is told of: how far away the equal one lies is true of
 * those alone that have its period.
 */
static struct finding_object object_of(const struct claim *claim, size_t first, size_t end, const struct site *heaviest)
{
    struct finding_object object = {.size_bytes = claim->sites[first]->record->size_bytes};
    for (size_t i = first; i < end; i++) {
        const struct site *site = claim->sites[i];
        uint32_t period = site_period(site), most = site_period(heaviest);
        if (most > 0 && period != most) {
            object.apart_made += site_results(site);
            object.apart_examined += balance_examined(claim->rule, site);
            object.apart_equal += claim->rule->equal(site);
            continue;
        }
        object.made += site_results(site);
        object.about = object.about || !site_results_are_known(site);
        object.examined += balance_examined(claim->rule, site);
        object.undecided += undecided_of(site);
        object.equal += claim->rule->equal(site);
    }
    object.period = site_period(heaviest);
    object.followed = site_repeats_far(heaviest);
    return object;
}

/* The way to the function whose line it is. */
static uint64_t way_to_function(struct model *model, const struct site *site)
{
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    const struct db_node *record = run_record(site->process->run, DB_KIND_NODE, frame);
    const struct node *caller = record != NULL ? model_node(site->process, record->parent) : NULL;
    return caller != NULL ? caller->way : 0;
}

/* By where it stands: CPython 3.11 makes one call from two instructions. */
static uint64_t instruction_of(struct model *model, const struct site *site)
{
    struct code *code = NULL;
    const struct db_node *record = run_record(site->process->run, DB_KIND_NODE, site->python);
    if (record == NULL)
        return 0;
    struct line_span span = model_position(model, site->process, record, &code);
    uint64_t columns = (uint64_t)(uint32_t)span.column << 32 | (uint32_t)span.end_column;
    return hash_mix(columns ^ hash_mix((uint32_t)span.line ^ hash_mix((uintptr_t)code ^ site->record->ordinal)));
}

static int way_order(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The nearest loop around a site, and the outermost. */
struct loops {
    struct loop nearest, outermost;
};

static struct loops loops_of(struct model *model, const struct site *site)
{
    return (struct loops){loop_around(model, site->process, site->record->node, false),
                          loop_outermost(model, site->process, site->record->node)};
}

static bool loops_are(struct loops one, struct loops other)
{
    return loop_is(one.nearest, other.nearest) && loop_is(one.outermost, other.outermost);
}

/* Of the other ways one that has loops of its own is the one to know; of very many the first are looked at. */
static void fill_ways(struct model *model, const struct claim *claim, struct finding *finding)
{
    uint64_t *ways = memory_zeroed(claim->count, sizeof(*ways)), own = way_to_function(model, finding->second);
    struct loops loops = loops_of(model, finding->second);
    struct links_source *sources = memory_zeroed(claim->count, sizeof(*sources));
    size_t count = 0, source_count = 0, others = 0;
    bool parted = false;
    for (size_t i = 0; i < claim->count; i++) {
        const struct site *site = claim->sites[i];
        if (site->record->size_bytes != finding->object.size_bytes)
            continue;
        ways[count++] = way_to_function(model, site);
        if (!site_is_constant(site))
            sources[source_count++] =
                (struct links_source){instruction_of(model, site), way_to_function(model, links_origin(site))};
        if (ways[count - 1] == own || parted || ++others > WAYS_MAX)
            continue;
        finding->object.other_way = site;
        parted = !loops_are(loops_of(model, site), loops);
    }
    qsort(ways, count, sizeof(*ways), way_order);
    finding->object.ways = count > 0;
    for (size_t i = 1; i < count; i++)
        finding->object.ways += ways[i] != ways[i - 1];
    finding->object.ways_share = links_are_of_one(sources, source_count);
    free(sources);
    free(ways);
}

static int call_order(const void *left, const void *right)
{
    const struct site *a = *(const struct site *const *)left, *b = *(const struct site *const *)right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->record->node != b->record->node)
        return a->record->node < b->record->node ? -1 : 1;
    return a->record->size_bytes < b->record->size_bytes ? -1 : a->record->size_bytes > b->record->size_bytes;
}

bool claim_varies(const struct claim *claim, size_t first, size_t end)
{
    bool any = false;
    const size_t count = end - first;
    const struct site **sites = memory_zeroed(count, sizeof(*sites));
    memcpy(sites, claim->sites + first, count * sizeof(*sites));
    qsort(sites, count, sizeof(*sites), call_order);
    for (size_t i = 1; i < count; i++) {
        bool same = sites[i]->process == sites[i - 1]->process && sites[i]->record->node == sites[i - 1]->record->node;
        any = any || (same && sites[i]->record->size_bytes != sites[i - 1]->record->size_bytes);
    }
    free(sites);
    return any;
}

/* Is nothing open, and nothing new after the first of a site? `but_rounds`: of those that do not come round. */
static bool stays(const struct claim *claim, bool but_rounds)
{
    for (size_t i = 0; i < claim->count; i++) {
        const struct site *site = claim->sites[i];
        bool is_new = site_new(site) > 1 && !(but_rounds && site_period(site) > 1);
        if (is_new || site->record->undecided > 0)
            return false;
    }
    return true;
}

static bool hardly_changes(const struct claim *claim)
{
    if (claim->changes)
        return true;
    for (size_t i = 0; i < claim->count; i++)
        if (site_hardly_changes(claim->sites[i]))
            return true;
    return false;
}

/* Of large contents samples were compared, which some that differ have in common. */
static bool compares_samples(const struct claim *claim)
{
    for (size_t i = 0; i < claim->count; i++) {
        const struct site *site = claim->sites[i];
        uint32_t beyond = site->process->run->record->engines[DB_ENGINE_REPLICA].sampled_beyond_bytes;
        if (beyond > 0 && site->record->size_bytes > beyond)
            return true;
    }
    return false;
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
        const struct site *heaviest = heaviest_of(claim, first, end);
        struct finding_object object = object_of(claim, first, end, heaviest);
        double bytes = (double)(object.equal + object.apart_equal) * (double)size_bytes;
        all_bytes += bytes;
        finding->part += object.equal;
        finding->whole += object.examined;
        finding->undecided += object.undecided;
        made += object.made;
        if (bytes <= most_bytes)
            continue;
        most_bytes = bytes;
        finding->object = object;
        finding->first = finding->second = heaviest;
    }
    finding->object.sizes = sizes;
    finding->object.varies = claim_varies(claim, 0, claim->count);
    finding->object.stays = stays(claim, false);
    finding->object.hardly_changes = hardly_changes(claim);
    finding->object.one_size = claim->one_size;
    finding->by_samples = compares_samples(claim);
    finding->looked_at_all = finding->whole == made;
    finding->exact = finding->looked_at_all && !finding->by_samples;
    finding->waste_bytes = all_bytes < 0x1p62 ? (uint64_t)all_bytes : UINT64_C(1) << 62;
}

/* Is it new now and then, and kept for the rounds between? What is said of it is true in whatever comes round beside it. */
static bool stays_for_rounds(const struct site *site)
{
    return !site_repeats(site) && !site_repeats_far(site) && !site_is_constant(site) && !site_rounds_are_unlike(site);
}

/* Is what comes round reached in other ways alone, and little? Then it does not speak for the way that is told. */
static bool is_beside(struct model *model, const struct claim *claim, const struct finding *finding)
{
    uint64_t own = way_to_function(model, finding->second);
    double round_bytes = 0, own_bytes = (double)finding->object.equal * (double)finding->object.size_bytes;
    for (size_t i = 0; i < claim->count; i++) {
        const struct site *site = claim->sites[i];
        if (site_period(site) > 1 && way_to_function(model, site) == own)
            return false;
        round_bytes += site_period(site) > 1 ? (double)claim->rule->equal(site) * (double)site->record->size_bytes : 0;
    }
    return round_bytes > 0 && own_bytes > ROUND_PART * round_bytes;
}

/*
 * Where some of what the line makes stays and some comes round, that decides what is to be done: what is built once of it for
 * all passes would be right in none.
 */
static void prefer_round(struct model *model, const struct claim *claim, struct finding *finding)
{
    if (claim->rule->comes_round == NULL || claim->rule->comes_round(model, finding))
        return;
    if (is_beside(model, claim, finding)) {
        finding->object.stays = stays(claim, true);
        return;
    }
    const struct site *told = finding->second;
    double most_bytes = 0;
    struct finding_object object = finding->object;
    double own_bytes = (double)(object.equal + object.apart_equal) * (double)object.size_bytes;
    for (size_t i = 0; i < claim->count; i++) {
        const struct site *site = claim->sites[i];
        double bytes = (double)claim->rule->equal(site) * (double)site->record->size_bytes;
        struct finding other = *finding;
        other.second = site;
        other.object.period = site_period(site);
        if (site_period(site) > 1 && bytes > most_bytes && claim->rule->comes_round(model, &other)) {
            most_bytes = bytes;
            finding->first = finding->second = site;
        }
    }
    if (most_bytes <= 0)
        return;
    if (stays_for_rounds(told) && own_bytes > ROUND_PART * most_bytes) {
        finding->first = finding->second = told;
        return;
    }
    size_t first = 0, end = claim->count;
    while (claim->sites[first]->record->size_bytes != finding->second->record->size_bytes)
        first++;
    while (claim->sites[end - 1]->record->size_bytes != finding->second->record->size_bytes)
        end--;
    finding->object = object_of(claim, first, end, finding->second);
    finding->object.sizes = object.sizes;
    finding->object.varies = object.varies;
    finding->object.stays = object.stays;
    finding->object.one_size = object.one_size;
}

void claim_fill(struct model *model, struct claim *claim, struct finding *finding)
{
    qsort(claim->sites, claim->count, sizeof(struct site *), size_order);
    finding->part_of_call = claim->part;
    finding->unseen = claim->unseen;
    fill_spans(claim, finding);
    fill_objects(claim, finding);
    prefer_round(model, claim, finding);
    fill_ways(model, claim, finding);
}
