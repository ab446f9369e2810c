#include "findings/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/balance.h"
#include "findings/far.h"
#include "findings/fed.h"
#include "findings/libraries.h"
#include "findings/links.h"
#include "findings/loop.h"
#include "findings/own_sizes.h"
#include "model/select.h"

#define WAYS_MAX 64u
#define PART_MIN 2       /* so many times the bytes of what is whole */
#define PART_OF_EQUAL 50 /* one differing object to so many equal ones: a call whose result is not the same each time */

/* What a place adds to a claim. */
struct claimed {
    struct place *place;
    size_t first, end; /* its sites */
    double equal_bytes, waste_s;
    uint64_t samples;
    bool part;    /* its other results differ */
    bool changes; /* its inputs do so, as another of its results says, if seldom */
};

/* Sites that carry a rule's claim on one line. */
struct claim {
    const struct site_rule *rule;
    const struct site **sites;
    size_t count, capacity;
    bool joining; /* second round: sites that count beside those of the first */
    struct claimed *places;
    size_t place_count, place_capacity;
    bool part;    /* of each place, other results differ */
    bool changes; /* one of the places does so */
    double waste_s;
    uint64_t samples;           /* that measured it */
    struct line_span span;      /* of the first place; line 0 before that, no columns where not all places have some */
    struct finding_parts parts; /* of the row, which all places together are */
};

/* What is told of the far history rests on other objects, each of which is known. */
static uint64_t undecided_of(const struct site *site)
{
    return site_repeats_far(site) ? 0 : site->record->undecided;
}

/* A fix moves all of the places. Where one has no columns, none are told. */
static void claim_span(struct claim *claim, const struct line_span *span, double seconds)
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

/* Of what is equal the part that takes longest; all of them where they are several. */
static void fill_spans(const struct claim *claim, struct finding *finding)
{
    const struct finding_parts *parts = &claim->parts;
    finding->span = parts->count > 0 ? parts->spans[parts_heaviest(parts)] : claim->span;
    if (parts->count > 1)
        finding->parts = *parts;
}

static bool carries(struct model *model, const struct claim *claim, const struct site *site)
{
    return claim->joining ? claim->rule->joins(model, site) : claim->rule->holds(model, site);
}

/* Adds the place's sites that carry the claim. */
static struct balance weigh_place(struct model *model, struct claim *claim, const struct place *place)
{
    struct balance balance = {0};
    struct own_sizes sizes = own_sizes_of(claim->rule, place);
    for (size_t i = 0; i < sizes.count; i++)
        sizes.sites[i].carries = carries(model, claim, sizes.sites[i].site);
    own_sizes_find(&sizes);
    for (size_t i = 0; i < sizes.count; i++) {
        const struct sized *sized = &sizes.sites[i];
        if (site_is_part_filled(model, sized->site))
            continue;
        if (!sized->carries || sized->has_own_size) {
            balance_add_other(&balance, claim->rule, sized->site, sized->has_own_size);
            continue;
        }
        claim->sites = memory_grow(claim->sites, claim->count, &claim->capacity, sizeof(struct site *));
        claim->sites[claim->count++] = sized->site;
        balance_add_equal(&balance, claim->rule, sized->site);
    }
    own_sizes_end(&sizes);
    return balance;
}

/* The time of the native calls below the Python instructions that called the foundations for the claim's sites from `first` on. */
static double native_seconds(struct model *model, const struct claim *claim, size_t first)
{
    uint64_t sum = 0;
    for (size_t i = first; i < claim->count; i++) {
        const struct site *site = claim->sites[i];
        struct caller *caller = objects_caller(model, site->process, site->record->node);
        if (caller == NULL || caller->told)
            continue;
        sum += caller->native_ns;
        caller->told = true;
    }
    return (double)sum * 1e-9;
}

/*
 * What is spent at the place for these sites: where nothing else comes of it, what runs in Python below it, too, by its native calls' share.
 * What else a package does below the line may be needed still.
 */
static double seconds_spent(struct model *model, const struct claim *claim, const struct place *place, size_t first,
                            bool part)
{
    double native_s = native_seconds(model, claim, first), whole_s = (double)place->native_ns * 1e-9;
    if (part)
        return native_s;
    return (double)place->ns * 1e-9 * (whole_s > 0 ? native_s / whole_s : 1);
}

/* Adds the place's sites when its evidence holds. */
static void claim_place(struct model *model, struct claim *claim, struct place *place)
{
    size_t before = claim->count;
    struct balance balance = weigh_place(model, claim, place);
    if (claim->count == before || balance_is_against(&balance, claim->rule)) {
        claim->count = before;
        return;
    }
    struct fed fed = fed_time(model, place);
    bool part = balance.differing_objects * PART_OF_EQUAL > balance.equal_objects;
    double seconds = seconds_spent(model, claim, place, before, part) + (double)fed.ns * 1e-9;
    double wasted_s = seconds * (double)balance.equal / (double)balance.examined;
    claim->places = memory_grow(claim->places, claim->place_count, &claim->place_capacity, sizeof(struct claimed));
    claim->places[claim->place_count++] = (struct claimed){.place = place,
                                                           .first = before,
                                                           .end = claim->count,
                                                           .equal_bytes = balance.equal_bytes,
                                                           .waste_s = wasted_s,
                                                           .samples = place->samples + fed.samples,
                                                           .part = part,
                                                           .changes = balance.changes};
    place->claimed = true;
}

/*
 * What is all of a call's result and what is a part of it ask for different mends: which of both is told is decided by bytes, not by time,
 * which varies between runs.
 */
static bool is_mostly_part(const struct claim *claim)
{
    double bytes[2] = {0, 0};
    for (size_t i = 0; i < claim->place_count; i++)
        bytes[claim->places[i].part] += claim->places[i].equal_bytes;
    return bytes[true] > PART_MIN * bytes[false];
}

/* Sums the places of one kind, and leaves those of the other to other rules. */
static void sum_places(struct claim *claim)
{
    size_t kept = 0;
    claim->part = is_mostly_part(claim);
    for (size_t i = 0; i < claim->place_count; i++) {
        const struct claimed *claimed = &claim->places[i];
        if (claimed->part != claim->part) {
            claimed->place->claimed = false;
            continue;
        }
        memmove(&claim->sites[kept], &claim->sites[claimed->first],
                (claimed->end - claimed->first) * sizeof(claim->sites[0]));
        kept += claimed->end - claimed->first;
        claim->waste_s += claimed->waste_s;
        claim->samples += claimed->samples;
        claim->changes = claim->changes || claimed->changes;
        claim_span(claim, &claimed->place->span, claimed->waste_s);
    }
    claim->count = kept;
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
    uint64_t *origins = memory_zeroed(claim->count, sizeof(*origins));
    size_t count = 0, origin_count = 0, others = 0;
    bool parted = false;
    for (size_t i = 0; i < claim->count; i++) {
        const struct site *site = claim->sites[i];
        if (site->record->size_bytes != finding->object.size_bytes)
            continue;
        ways[count++] = way_to_function(model, site);
        if (!site_is_constant(site))
            origins[origin_count++] = way_to_function(model, links_origin(site));
        if (ways[count - 1] == own || parted || ++others > WAYS_MAX)
            continue;
        finding->object.other_way = site;
        parted = !loops_are(loops_of(model, site), loops);
    }
    qsort(ways, count, sizeof(*ways), way_order);
    finding->object.ways = count > 0;
    for (size_t i = 1; i < count; i++)
        finding->object.ways += ways[i] != ways[i - 1];
    finding->object.ways_share = links_are_of_one(origins, origin_count, ways, count);
    free(origins);
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

/* Does a call make claimed objects of several sizes? */
static bool varies(const struct claim *claim)
{
    bool any = false;
    const struct site **sites = memory_zeroed(claim->count, sizeof(*sites));
    memcpy(sites, claim->sites, claim->count * sizeof(*sites));
    qsort(sites, claim->count, sizeof(*sites), call_order);
    for (size_t i = 1; i < claim->count; i++) {
        bool same = sites[i]->process == sites[i - 1]->process && sites[i]->record->node == sites[i - 1]->record->node;
        any = any || (same && sites[i]->record->size_bytes != sites[i - 1]->record->size_bytes);
    }
    free(sites);
    return any;
}

/* Is nothing open, and nothing new after the first of a site? */
static bool stays(const struct claim *claim)
{
    for (size_t i = 0; i < claim->count; i++)
        if (site_new(claim->sites[i]) > 1 || claim->sites[i]->record->undecided > 0)
            return false;
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
    finding->object.varies = varies(claim);
    finding->object.stays = stays(claim);
    finding->object.hardly_changes = hardly_changes(claim);
    finding->by_samples = compares_samples(claim);
    finding->looked_at_all = finding->whole == made;
    finding->exact = finding->looked_at_all && !finding->by_samples;
    finding->waste_bytes = all_bytes < 0x1p62 ? (uint64_t)all_bytes : UINT64_C(1) << 62;
}

/*
 * Where some of what the line makes stays and some comes round, that decides what is to be done: what is built once of it for
 * all passes would be right in none.
 */
static void prefer_round(struct model *model, const struct claim *claim, struct finding *finding)
{
    if (claim->rule->comes_round == NULL || claim->rule->comes_round(model, finding))
        return;
    double most_bytes = 0;
    struct finding_object object = finding->object;
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
    size_t first = 0, end = claim->count;
    while (claim->sites[first]->record->size_bytes != finding->second->record->size_bytes)
        first++;
    while (claim->sites[end - 1]->record->size_bytes != finding->second->record->size_bytes)
        end--;
    finding->object = object_of(claim, first, end, finding->second);
    finding->object.sizes = object.sizes;
    finding->object.varies = object.varies;
    finding->object.stays = object.stays;
}

/* Two standard deviations of what was sampled below it: a sample or two in a short run are chance. */
static bool is_worth_it(const struct model *model, const struct claim *claim)
{
    double least = claim->samples > 0 ? fmax(0, 1 - 2 / sqrt((double)claim->samples)) : 0;
    return claim->rule->waste_percent <= 0 ||
           model_percent(model, claim->waste_s * least) >= claim->rule->waste_percent;
}

static void claim_line(struct model *model, struct line *line, struct claim *claim)
{
    claim->count = claim->place_count = 0;
    claim->waste_s = 0;
    claim->samples = 0;
    claim->changes = false;
    claim->span = (struct line_span){0};
    claim->parts.count = 0;
    for (int round = 0; round < 2; round++) {
        claim->joining = round == 1;
        if (claim->joining && (claim->count == 0 || claim->rule->joins == NULL))
            break;
        for (struct place *place = line->places; place != NULL; place = place->next)
            if (!place->claimed)
                claim_place(model, claim, place);
    }
    sum_places(claim);
    double most_s = (double)times_total(&line->times) * 1e-9;
    claim->waste_s = claim->waste_s < most_s ? claim->waste_s : most_s;
    if (claim->count == 0 || !is_worth_it(model, claim))
        return;
    qsort(claim->sites, claim->count, sizeof(struct site *), size_order);
    struct finding *finding = finding_add(model, line, claim->rule->kind, NULL);
    finding->waste_s = claim->waste_s;
    finding->waste_samples = claim->samples;
    fill_spans(claim, finding);
    finding->part_of_call = claim->part;
    fill_objects(claim, finding);
    prefer_round(model, claim, finding);
    fill_ways(model, claim, finding);
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
    free(claim.places);
}
