#include "model/balance.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define ROUNDS_MAX 2000u
#define WORK_MAX 5000000u                               /* rounds times steps: some hundredths of a second */
#define PLACE_WORK 4u                                   /* a place is as much work as so many steps */
#define RESAMPLED_WORK_MAX (WORK_MAX / (RESAMPLES - 1)) /* beyond it no more is done than what is told takes */
#define SETTLED 1e-8
#define DOUBT_PAIRS 4.0 /* so many more, to elsewhere, are added to what a place's pairs say */
#define FAR_PART 0.125  /* of what is in doubt: to everywhere alike */
#define NEAR_BYTES 6.0  /* so much farther, half as near */
#define NEAR_PART 0.03  /* to the neighbours, however many pairs a place has */
#define WEIGHT_MAX 32.0

/* Pairs of one place that a share counts together: they come from the same samples as those that follow what follows what. */
enum sort { SORT_ALONE, SORT_FIRST, SORT_LATER, SORTS };

/* What there is of a place in each resample. */
struct resampled_place {
    double starts[RESAMPLES];
    double pairs[SORTS][RESAMPLES]; /* what a share's pairs that begin here stand for; then what each counts for */
};

struct access_place {
    struct map_key key;
    struct access_place *near[2]; /* before and behind it in the same call, of those that pairs begin at */
    double nearness[2];
    double told_starts, starts; /* what the pairs that begin here stand for; in the resample that is looked at */
    double trust;               /* in what they say */
    double clock, mass;         /* part of all accesses: as sampled, as it must be */
    bool met;                   /* a pair ends here */
    double next;
    double weight;                     /* told */
    struct resampled_place *resampled; /* NULL: no resamples are made */
};

struct step {
    struct access_place *from, *to;
    double told_weight, weight, part; /* `part`: of the mass of `from` that it takes along */
    double *resampled;                /* weights; NULL: no resamples are made */
};

struct balance {
    struct map place_map, step_map;
    struct access_place **known; /* those looked up so far: of loads and of stores, by run_index() of their node */
    struct access_place **places;
    size_t place_count, place_capacity;
    struct step **steps;
    size_t step_count, step_capacity;
    double pairs, starts;  /* of all */
    double sampled, unmet; /* places that pairs begin at; of them those that none ends at */
    bool is_resampled;
};

static struct map_key place_key(struct model *model, struct process *process, uint32_t leaf, uint8_t access)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, leaf);
    const struct db_node *caller = record != NULL ? run_record(process->run, DB_KIND_NODE, record->parent) : NULL;
    uint64_t instruction = record != NULL ? record->value : 0, call = caller != NULL ? caller->value : 0;
    return (struct map_key){(uintptr_t)lines_of_leaf(model, process, leaf), call, instruction << 2 | access};
}

/* Where the place of a node's accesses is kept once it is known: each has many pairs. NULL: nowhere. */
static struct access_place **known_at(const struct balance *balance, const struct process *process, uint32_t leaf,
                                      uint8_t access)
{
    size_t index = run_index(&process->run->tables[DB_KIND_NODE], leaf);
    bool is_kept = index != SIZE_MAX && (access == DB_ACCESS_LOAD || access == DB_ACCESS_STORE);
    return is_kept ? &balance->known[2 * index + (access == DB_ACCESS_STORE ? 1 : 0)] : NULL;
}

static struct access_place *place_made(struct balance *balance, struct map_key key)
{
    struct access_place *place = map_get(&balance->place_map, key);
    if (place == NULL) {
        place = memory_zeroed(1, sizeof *place);
        place->key = key;
        map_put(&balance->place_map, key, place);
        balance->places =
            memory_grow(balance->places, balance->place_count, &balance->place_capacity, sizeof(struct access_place *));
        balance->places[balance->place_count++] = place;
    }
    return place;
}

static struct access_place *place_at(struct balance *balance, struct model *model, struct process *process,
                                     uint32_t leaf, uint8_t access)
{
    struct access_place **known = known_at(balance, process, leaf, access), *place = known != NULL ? *known : NULL;
    if (place == NULL)
        place = place_made(balance, place_key(model, process, leaf, access));
    if (known != NULL)
        *known = place;
    return place;
}

static struct step *step_of(struct balance *balance, struct access_place *from, struct access_place *to)
{
    struct map_key key = {(uintptr_t)from, (uintptr_t)to, 1};
    struct step *step = map_get(&balance->step_map, key);
    if (step == NULL) {
        step = memory_zeroed(1, sizeof *step);
        *step = (struct step){.from = from, .to = to};
        map_put(&balance->step_map, key, step);
        balance->steps =
            memory_grow(balance->steps, balance->step_count, &balance->step_capacity, sizeof(struct step *));
        balance->steps[balance->step_count++] = step;
    }
    return step;
}

static void resampled_add(double sums[RESAMPLES], const struct db_pair *record, const double factors[RESAMPLES])
{
    for (size_t i = 0; i < RESAMPLES; i++)
        sums[i] += (double)record->scale * factors[i];
}

/* Both accesses on objects, outside imports, and the first one sampled. */
static bool is_of_chain(const struct process *process, const struct db_pair *record)
{
    const struct node *first = model_node(process, record->first_node),
                      *second = model_node(process, record->second_node);
    return (record->flags & DB_PAIR_FIRST) != 0 && record->second_access != DB_ACCESS_NONE &&
           record->address_class == DB_CLASS_OBJECT && first != NULL && second != NULL && !first->in_import &&
           !second->in_import;
}

static bool is_of(const struct db_pair *record, enum db_access first, enum db_access second)
{
    return record->first_access == first && record->second_access == second;
}

/*
 * What follows a load is the next load, unless a store came before it, which has a pair of its own. Where loads have no such pairs at all
 * none may have been recorded: then the chain is one of loads, and stores stay as the clock found them.
 */
static bool knows_stores(const struct process *process)
{
    bool loads = false;
    struct run_cursor cursor = {0};
    for (const struct db_pair *record; (record = run_next(&process->run->tables[DB_KIND_PAIR], &cursor)) != NULL;) {
        if (!is_of_chain(process, record))
            continue;
        if (is_of(record, DB_ACCESS_LOAD, DB_ACCESS_STORE))
            return true;
        loads |= record->first_access == DB_ACCESS_LOAD;
    }
    return !loads;
}

static bool is_step(const struct db_pair *record, bool with_stores)
{
    bool between_loads = is_of(record, DB_ACCESS_LOAD, DB_ACCESS_LOAD);
    return with_stores ? !between_loads || (record->flags & DB_PAIR_STORED) == 0 : between_loads;
}

static void gather(struct balance *balance, struct model *model, struct process *process)
{
    const bool with_stores = knows_stores(process);
    struct run_cursor cursor = {0};
    for (const struct db_pair *record; (record = run_next(&process->run->tables[DB_KIND_PAIR], &cursor)) != NULL;) {
        if (!is_of_chain(process, record) || !is_step(record, with_stores))
            continue;
        struct access_place *from = place_at(balance, model, process, record->first_node, record->first_access);
        struct access_place *to = place_at(balance, model, process, record->second_node, record->second_access);
        balance->pairs += (double)record->count;
        from->told_starts += (double)record->scale;
        step_of(balance, from, to)->told_weight += (double)record->scale;
    }
}

static struct access_place *place_of(const struct balance *balance, struct model *model, struct process *process,
                                     const struct db_pair *record)
{
    struct access_place **known = known_at(balance, process, record->first_node, record->first_access);
    struct access_place *place = known != NULL ? *known : NULL;
    if (place == NULL)
        place = map_get(&balance->place_map, place_key(model, process, record->first_node, record->first_access));
    if (known != NULL)
        *known = place;
    return place;
}

static enum sort sort_of(const struct db_pair *record)
{
    if (record->second_access == DB_ACCESS_NONE)
        return SORT_ALONE;
    return (record->flags & DB_PAIR_FIRST) != 0 ? SORT_FIRST : SORT_LATER;
}

static void resampled_gather(struct balance *balance, struct model *model, struct process *process)
{
    const bool with_stores = knows_stores(process);
    struct run_cursor cursor = {0};
    for (const struct db_pair *record; (record = run_next(&process->run->tables[DB_KIND_PAIR], &cursor)) != NULL;) {
        struct access_place *place = place_of(balance, model, process, record);
        if (place == NULL)
            continue;
        double factors[RESAMPLES];
        resample_factors(record, cursor.id, factors);
        if (!is_of(record, DB_ACCESS_LOAD, DB_ACCESS_STORE))
            resampled_add(place->resampled->pairs[sort_of(record)], record, factors);
        if (!is_of_chain(process, record) || !is_step(record, with_stores))
            continue;
        struct access_place *to = place_at(balance, model, process, record->second_node, record->second_access);
        resampled_add(place->resampled->starts, record, factors);
        resampled_add(step_of(balance, place, to)->resampled, record, factors);
    }
}

static double doubt(const struct balance *balance)
{
    return DOUBT_PAIRS * balance->starts / balance->pairs;
}

static void trust_set(struct balance *balance)
{
    for (size_t i = 0; i < balance->place_count; i++)
        balance->places[i]->trust = balance->places[i]->starts / (balance->places[i]->starts + doubt(balance));
    for (size_t i = 0; i < balance->step_count; i++) {
        struct step *step = balance->steps[i];
        step->part =
            step->from->starts > 0 ? step->from->trust * (1 - NEAR_PART) * step->weight / step->from->starts : 0;
    }
}

static void clocks_set(struct balance *balance)
{
    size_t sampled = 0;
    for (size_t i = 0; i < balance->place_count; i++)
        sampled += balance->places[i]->starts > 0 ? 1 : 0;
    const double all = balance->starts + (double)sampled * doubt(balance);
    for (size_t i = 0; i < balance->place_count; i++) {
        struct access_place *place = balance->places[i];
        place->clock = place->mass = place->starts > 0 ? (place->starts + doubt(balance)) / all : 0;
    }
}

static bool is_one_call(const struct access_place *a, const struct access_place *b)
{
    return a->starts > 0 && b->starts > 0 && memcmp(&a->key, &b->key, offsetof(struct map_key, c)) == 0;
}

static int place_order(const void *left, const void *right)
{
    const struct access_place *a = *(struct access_place *const *)left, *b = *(struct access_place *const *)right;
    if ((a->starts > 0) != (b->starts > 0))
        return a->starts > 0 ? -1 : 1;
    if (a->key.a != b->key.a)
        return a->key.a < b->key.a ? -1 : 1;
    if (a->key.b != b->key.b)
        return a->key.b < b->key.b ? -1 : 1;
    return a->key.c < b->key.c ? -1 : a->key.c > b->key.c;
}

/* How likely two instructions belong to one loop. */
static double nearness(const struct access_place *before, const struct access_place *behind)
{
    return exp2(-(double)((behind->key.c >> 2) - (before->key.c >> 2)) / NEAR_BYTES);
}

/* The places themselves stay in the file's order: sums come out the same in each reading. */
static void neighbours_set(struct balance *balance)
{
    struct access_place **sorted = memory_zeroed(balance->place_count, sizeof(struct access_place *));
    memcpy(sorted, balance->places, balance->place_count * sizeof(struct access_place *));
    qsort(sorted, balance->place_count, sizeof(struct access_place *), place_order);
    for (size_t i = 1; i < balance->place_count; i++) {
        struct access_place *before = sorted[i - 1], *behind = sorted[i];
        if (is_one_call(before, behind)) {
            before->near[1] = behind;
            behind->near[0] = before;
            before->nearness[1] = behind->nearness[0] = nearness(before, behind);
        }
    }
    free(sorted);
}

static void met_set(struct balance *balance)
{
    for (size_t i = 0; i < balance->step_count; i++)
        balance->steps[i]->to->met = true;
    for (size_t i = 0; i < balance->place_count; i++) {
        balance->sampled += balance->places[i]->starts > 0 ? 1 : 0;
        balance->unmet += balance->places[i]->starts > 0 && !balance->places[i]->met ? 1 : 0;
    }
}

/* To each neighbour as much as comes from it when both have what the clock gave them. */
static void pass_near(struct access_place *place, double doubted, double told)
{
    place->next += doubted + told;
    for (int i = 0; i < 2; i++) {
        struct access_place *near = place->near[i];
        double part =
            near != NULL ? place->nearness[i] * (doubted + told * fmin(1, near->starts / place->starts)) / 2 : 0;
        place->next -= part;
        if (near != NULL)
            near->next += part;
    }
}

/* Mass under way from anywhere: to all sampled places alike, and to those alone that no pair ends at. */
struct abroad {
    double to_all, to_unmet;
};

/*
 * What of a place's mass does not go by its pairs. Of what they leave in doubt little goes far: else classes of places that nothing links
 * would have what the clock gave them as a whole, when it is wrong about one place of them. But that no pair
 * ends at a place is chance, mostly: between it and all others it may go. The rest goes to the neighbours, as does a
 * little of what the pairs tell: instructions beside one another are mostly of one loop, so the clock is right about them.
 */
static void pass_on(const struct balance *balance, struct access_place *place, struct abroad *abroad)
{
    double told = place->mass * place->trust, doubted = place->mass - told;
    double far = doubted * (place->met ? FAR_PART : 1);
    double to_unmet = place->met ? (doubted - far) * balance->unmet / balance->sampled : 0;
    abroad->to_all += far;
    abroad->to_unmet += to_unmet;
    pass_near(place, doubted - far - to_unmet, told * NEAR_PART);
}

/* Places that no pair begins at pass their mass on as the clock has it. */
static double received(const struct balance *balance, const struct access_place *place, const struct abroad *abroad,
                       double unknown)
{
    if (place->starts <= 0)
        return 0;
    double to_unmet = place->met ? 0 : abroad->to_unmet / balance->unmet;
    return unknown * place->clock + abroad->to_all / balance->sampled + to_unmet;
}

/* One step of the chain; how much mass moved. */
static double advance(struct balance *balance)
{
    struct abroad abroad = {0};
    double unknown = 0, moved = 0;
    for (size_t i = 0; i < balance->place_count; i++)
        balance->places[i]->next = 0;
    for (size_t i = 0; i < balance->place_count; i++) {
        struct access_place *place = balance->places[i];
        if (place->starts > 0)
            pass_on(balance, place, &abroad);
        else
            unknown += place->mass;
    }
    for (size_t i = 0; i < balance->step_count; i++) {
        const struct step *step = balance->steps[i];
        step->to->next += step->from->mass * step->part;
    }
    for (size_t i = 0; i < balance->place_count; i++) {
        struct access_place *place = balance->places[i];
        place->next += received(balance, place, &abroad, unknown);
        place->next = (place->mass + place->next) / 2; /* lazily: a cycle settles too */
        moved += fabs(place->next - place->mass);
        place->mass = place->next;
    }
    return moved;
}

static double weight_by(const struct access_place *place, double clock)
{
    return place->clock > 0 ? fmin(fmax(place->mass / clock, 1 / WEIGHT_MAX), WEIGHT_MAX) : 1;
}

/*
 * The clock finds a place more often by chance, and each of its pairs counts for less: in a resample that has more of the sort's
 * pairs, whose signs are others than those of the pairs that follow what follows what, it must be so too.
 */
static double resampled_weight(const struct balance *balance, const struct access_place *place, enum sort sort,
                               size_t number)
{
    const double *pairs = place->resampled->pairs[sort], more = pairs[0] > 0 ? pairs[number] / pairs[0] : 1;
    return weight_by(place,
                     place->clock * (place->told_starts * more + doubt(balance)) / (place->starts + doubt(balance)));
}

/* Of a resample; 0: of what is told. */
static void starts_set(struct balance *balance, size_t number)
{
    balance->starts = 0;
    for (size_t i = 0; i < balance->place_count; i++) {
        struct access_place *place = balance->places[i];
        place->starts = place->resampled != NULL ? place->resampled->starts[number] : place->told_starts;
        balance->starts += place->starts;
    }
    for (size_t i = 0; i < balance->step_count; i++) {
        struct step *step = balance->steps[i];
        step->weight = step->resampled != NULL ? step->resampled[number] : step->told_weight;
    }
}

/* All in the same number of rounds at most: where what is told has not settled by then, the others have not either. Returns the work. */
static size_t settle(struct balance *balance, size_t number)
{
    const size_t work = balance->step_count + PLACE_WORK * balance->place_count + 1;
    size_t rounds = 0;
    starts_set(balance, number);
    trust_set(balance);
    clocks_set(balance);
    do
        rounds++;
    while (advance(balance) > SETTLED && rounds < ROUNDS_MAX && rounds < WORK_MAX / work);
    return rounds * work;
}

static void resamples_make(struct balance *balance, struct model *model, struct process *process)
{
    for (size_t i = 0; i < balance->place_count; i++)
        balance->places[i]->resampled = memory_zeroed(1, sizeof(struct resampled_place));
    for (size_t i = 0; i < balance->step_count; i++)
        balance->steps[i]->resampled = memory_zeroed(RESAMPLES, sizeof(double));
    resampled_gather(balance, model, process);
    for (size_t number = RESAMPLES - 1; number > 0; number--) {
        settle(balance, number);
        for (size_t i = 0; i < balance->place_count; i++)
            for (size_t sort = 0; sort < SORTS; sort++)
                balance->places[i]->resampled->pairs[sort][number] =
                    resampled_weight(balance, balance->places[i], sort, number);
    }
    for (size_t i = 0; i < balance->place_count; i++)
        for (size_t sort = 0; sort < SORTS; sort++)
            balance->places[i]->resampled->pairs[sort][0] = balance->places[i]->weight;
}

struct balance *balance_make(struct model *model, struct process *process)
{
    struct balance *balance = memory_zeroed(1, sizeof *balance);
    balance->known = memory_zeroed(2 * run_capacity(&process->run->tables[DB_KIND_NODE]), sizeof(balance->known[0]));
    gather(balance, model, process);
    if (balance->pairs <= 0)
        return balance;
    starts_set(balance, 0);
    neighbours_set(balance);
    met_set(balance);
    const size_t work = settle(balance, 0);
    for (size_t i = 0; i < balance->place_count; i++)
        balance->places[i]->weight = weight_by(balance->places[i], balance->places[i]->clock);
    balance->is_resampled = work <= RESAMPLED_WORK_MAX;
    if (balance->is_resampled)
        resamples_make(balance, model, process);
    return balance;
}

static void place_free(struct access_place *place)
{
    free(place->resampled);
    free(place);
}

static void step_free(struct step *step)
{
    free(step->resampled);
    free(step);
}

void balance_free(struct balance *balance)
{
    for (size_t i = 0; i < balance->place_count; i++)
        place_free(balance->places[i]);
    for (size_t i = 0; i < balance->step_count; i++)
        step_free(balance->steps[i]);
    free(balance->known);
    free(balance->places);
    free(balance->steps);
    map_free(&balance->place_map);
    map_free(&balance->step_map);
    free(balance);
}

double balance_weight(const struct balance *balance, struct model *model, struct process *process,
                      const struct db_pair *record)
{
    const struct access_place *place = place_of(balance, model, process, record);
    return place != NULL ? place->weight : 1;
}

bool balance_is_resampled(const struct balance *balance)
{
    return balance->is_resampled;
}

const double *balance_resampled_weights(const struct balance *balance, struct model *model, struct process *process,
                                        const struct db_pair *record)
{
    const struct access_place *place = place_of(balance, model, process, record);
    return place != NULL ? place->resampled->pairs[sort_of(record)] : NULL;
}
