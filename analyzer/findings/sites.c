#include "findings/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/balance.h"
#include "findings/by_product.h"
#include "findings/claim.h"
#include "findings/claim_sorts.h"
#include "findings/elided.h"
#include "findings/far.h"
#include "findings/fed.h"
#include "findings/finish_package.h"
#include "findings/libraries.h"
#include "findings/loop.h"
#include "findings/loop_feeds.h"
#include "findings/needed_time.h"
#include "findings/one_size.h"
#include "findings/operand_time.h"
#include "findings/own_sizes.h"
#include "findings/unlike_rounds.h"
#include "model/select.h"

#define PART_MIN 2         /* so many times the bytes of what is whole */
#define CALLED_LOOPS_MAX 8 /* around a call, so many are looked at */
#define PART_OF_EQUAL 50 /* one differing object to so many equal ones: a call whose result is not the same each time */

/* How the program comes to the function that the site's line stands in. */
static uint64_t way_of(struct model *model, const struct site *site)
{
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    const struct db_node *record = run_record(site->process->run, DB_KIND_NODE, frame);
    const struct node *above = record != NULL ? model_node(site->process, record->parent) : NULL;
    return above != NULL ? above->way : 0;
}

/* What a function makes for one caller says nothing about what it makes for another. */
static bool is_beside_claimed(struct model *model, const struct claim *claim, const struct site *site)
{
    uint64_t way = way_of(model, site);
    for (size_t i = 0; i < claim->count; i++)
        if (way_of(model, claim->sites[i]) == way)
            return true;
    return false;
}

static bool carries(struct model *model, const struct claim *claim, const struct site *site)
{
    return claim->joining ? claim->rule->joins(model, site) && is_beside_claimed(model, claim, site)
                          : claim->rule->holds(model, site);
}

/* Adds the place's sites that carry the claim. */
static struct balance weigh_place(struct model *model, struct claim *claim, const struct place *place)
{
    struct balance balance = {0};
    struct own_sizes sizes = own_sizes_of(claim->rule, place);
    for (size_t i = 0; i < sizes.count; i++)
        sizes.sites[i].carries = carries(model, claim, sizes.sites[i].site);
    own_sizes_find(&sizes);
    one_size_find(model, &sizes);
    const struct makers makers = makers_of_new(claim->rule, &sizes);
    for (size_t i = 0; i < sizes.count; i++) {
        const struct sized *sized = &sizes.sites[i];
        if (site_is_part_filled(sized->site) || site_is_reserve(sized->site) ||
            (sized->carries && is_by_product(model, &makers, sized->site)))
            continue;
        if (sized->is_apart) {
            balance_add_apart(&balance, sized->site);
            continue;
        }
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

/*
 * The time of the native calls below the Python instructions that called the foundations for the claim's sites from `first` on, and of
 * those that packages finish them by.
 */
static double native_seconds(struct model *model, const struct claim *claim, size_t first)
{
    uint64_t sum = 0;
    for (size_t i = first; i < claim->count; i++) {
        const struct site *site = claim->sites[i];
        sum += caller_take(callers_get(model, site->process, site->record->node));
        sum += finish_package_take(model, site);
    }
    return (double)sum * 1e-9;
}

/*
 * What is spent at the place for these sites: where nothing else comes of it, what runs in Python below it, too, by its native calls' share.
 * What else a package does below the line may be needed still; what makes others of its results is.
 */
static double seconds_spent(struct model *model, const struct claim *claim, const struct place *place, size_t first,
                            bool part)
{
    double native_s = native_seconds(model, claim, first), whole_s = (double)place->native_ns * 1e-9;
    if (part) {
        double needed_s = (double)needed_time(model, place, claim->sites + first, claim->count - first) * 1e-9;
        return fmax(0, native_s - needed_s);
    }
    return (double)place->ns * 1e-9 * (whole_s > 0 ? native_s / whole_s : 1);
}

/* What comes of results that NumPy stored over before the line had them was not looked at. */
enum elided {
    ELIDED_NONE,
    ELIDED_BY_NUMPY, /* in functions of its own, that the line calls: they remember nothing */
    ELIDED_IN_PACKAGE
};

static enum elided elided_below(struct model *model, const struct claim *claim, size_t first)
{
    enum elided most = ELIDED_NONE;
    for (size_t i = first; i < claim->count && most != ELIDED_IN_PACKAGE; i++) {
        const struct site *site = claim->sites[i];
        uint32_t line = lines_frame_of_leaf(model, site->process, site->record->node);
        if (site_is_elided_below(model, site))
            most = callers_frame(site->process, site->record->node) == line ? ELIDED_BY_NUMPY : ELIDED_IN_PACKAGE;
    }
    return most;
}

/*
 * Is what a package is called with another in each round, by the text, and what it makes the same in all of them? Then what the call is
 * for is no part of that: a model of another size looks through the same labels. What has several sizes, or comes round, may well be of
 * what the loop gives.
 */
static bool is_called_anew(struct model *model, const struct claim *claim, size_t first)
{
    const struct site *site = claim->sites[first];
    for (size_t i = first; i < claim->count; i++)
        if (site_period(claim->sites[i]) > 1 || site_repeats_far(claim->sites[i]) ||
            site_rounds_are_unlike(claim->sites[i]))
            return false;
    if (claim_varies(claim, first, claim->count))
        return false;
    struct loop loops[CALLED_LOOPS_MAX];
    uint32_t line = lines_frame_of_leaf(model, site->process, site->record->node);
    uint32_t caller = callers_frame(site->process, site->record->node);
    size_t count = caller == 0 || caller == line
                       ? 0
                       : loops_around(model, site->process, site->record->node, loops, CALLED_LOOPS_MAX);
    for (size_t i = 0; i < count; i++)
        if (loop_feeds(model, site->process, line, loops[i]))
            return true;
    return false;
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
    enum elided elided = elided_below(model, claim, before);
    bool differs = balance.differing_objects * PART_OF_EQUAL > balance.equal_objects || elided == ELIDED_IN_PACKAGE ||
                   is_called_anew(model, claim, before);
    bool part = differs || elided != ELIDED_NONE;
    bool are_most = balance.apart_bytes <= 0 && balance.equal * 2 > balance.examined;
    bool is_all_again = !part && are_most && strcmp(claim->rule->kind, "replica") == 0;
    double again = balance_part(&balance) * (double)balance.equal / (double)balance.examined;
    double wasted_s = (seconds_spent(model, claim, place, before, part) + (double)fed.ns * 1e-9) * again;
    claim->places = memory_grow(claim->places, claim->place_count, &claim->place_capacity, sizeof(struct claimed));
    claim->places[claim->place_count++] = (struct claimed){.place = place,
                                                           .first = before,
                                                           .end = claim->count,
                                                           .equal_bytes = balance.equal_bytes,
                                                           .waste_s = wasted_s,
                                                           .again = is_all_again ? again : 0,
                                                           .samples = place->samples + fed.samples,
                                                           .joined = claim->joining,
                                                           .part = part,
                                                           .unseen = part && !differs,
                                                           .one_size = balance.apart_bytes > 0,
                                                           .changes = balance.changes};
    place->claimed = true;
}

/*
 * What is all of a call's result and what is a part of it ask for different mends: which of both is told is decided by bytes, not by time,
 * which varies between runs. What joins a claim decides nothing.
 */
static bool is_mostly_part(const struct claim *claim)
{
    double bytes[2] = {0, 0};
    for (size_t i = 0; i < claim->place_count; i++)
        if (!claim->places[i].joined)
            bytes[claim->places[i].part] += claim->places[i].equal_bytes;
    return bytes[true] > PART_MIN * bytes[false];
}

/* What its operands take, too: after all places of the line that are told have been. */
static void add_operands(struct model *model, const struct line *line, struct claimed *claimed)
{
    struct operand_time operands = operand_time_take(model, line, claimed->place, claimed->again);
    claimed->waste_s += (double)operands.ns * 1e-9 * claimed->again;
    claimed->apart_s += (double)operands.apart_ns * 1e-9 * claimed->again;
    claimed->samples += operands.samples;
}

/* Keeps the places of one kind, and leaves those of the other to other rules. */
static void keep_places(struct claim *claim)
{
    size_t sites = 0, places = 0;
    claim->part = claim->unseen = is_mostly_part(claim);
    for (size_t i = 0; i < claim->place_count; i++) {
        struct claimed claimed = claim->places[i];
        size_t count = claimed.end - claimed.first;
        if (claimed.part != claim->part) {
            claimed.place->claimed = false;
            continue;
        }
        memmove(&claim->sites[sites], &claim->sites[claimed.first], count * sizeof(claim->sites[0]));
        claimed.first = sites;
        sites += count;
        claimed.end = sites;
        claim->places[places++] = claimed;
    }
    claim->count = sites;
    claim->place_count = places;
}

/* Of an expression that is the same each time all that its operands take is for nothing, be it in calls that make no objects. */
static void count_operands(struct model *model, const struct line *line, struct claim *claim)
{
    double again = 0;
    for (size_t i = 0; i < claim->place_count; i++) {
        again = fmax(again, claim->places[i].again);
        if (claim->places[i].again > 0)
            add_operands(model, line, &claim->places[i]);
    }
    for (size_t i = 0; i < claim->place_count; i++) {
        struct claimed *claimed = &claim->places[i];
        if (claimed->place->is_operand)
            claimed->waste_s = fmax(claimed->waste_s, (double)claimed->place->ns * 1e-9 * again);
    }
}

static void sum_places(struct model *model, const struct line *line, struct claim *claim)
{
    keep_places(claim);
    count_operands(model, line, claim);
    for (size_t i = 0; i < claim->place_count; i++) {
        const struct claimed *claimed = &claim->places[i];
        claim->waste_s += claimed->waste_s;
        claim->apart_s += claimed->apart_s;
        claim->samples += claimed->samples;
        claim->unseen = claim->unseen && claimed->unseen;
        claim->changes = claim->changes || claimed->changes;
        claim->one_size = claim->one_size || claimed->one_size;
        claim_span(claim, &claimed->place->span, claimed->waste_s);
    }
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
    claim->waste_s = claim->apart_s = 0;
    claim->samples = 0;
    claim->changes = claim->one_size = false;
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
    sum_places(model, line, claim);
    double most_s = (double)times_total(&line->times) * 1e-9 + claim->apart_s;
    claim->waste_s = claim->waste_s < most_s ? claim->waste_s : most_s;
    if (claim->count == 0 || !is_worth_it(model, claim))
        return;
    struct finding *finding = finding_add(model, line, claim->rule->kind, NULL);
    finding->waste_s = claim->waste_s;
    finding->apart_s = fmin(claim->apart_s, claim->waste_s);
    finding->waste_samples = claim->samples;
    claim_fill_by_sort(model, claim, finding);
    finding->category = claim->rule->name(model, finding);
    finding->say = claim->rule->say;
}

void sites_find(struct model *model, const struct site_rule *rule)
{
    struct claim claim = {.rule = rule};
    for (int packages = 0; packages < 2; packages++)
        for (size_t i = 0; i < model->line_total; i++)
            if (model->lines[i]->places != NULL && (model->lines[i]->caller != NULL) == (packages == 1))
                claim_line(model, model->lines[i], &claim);
    free(claim.sites);
    free(claim.places);
}
