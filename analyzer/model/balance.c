#include "model/balance.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define ROUNDS_MAX 2000u
#define WORK_MAX 10000000u /* rounds times steps: some hundredths of a second */
#define SETTLED 1e-10
#define DOUBT_PAIRS 4.0 /* so many more, to everywhere alike, are added to what a place's pairs say */
#define WEIGHT_MAX 32.0

struct load_place {
    double starts;      /* what the pairs that begin here stand for */
    double clock, mass; /* part of all loads: as sampled, as it must be */
    double next;
};

struct step {
    struct load_place *from, *to;
    double weight;
};

struct balance {
    struct map place_map, step_map;
    struct load_place **places;
    size_t place_count, place_capacity;
    struct step **steps;
    size_t step_count, step_capacity;
    double pairs, starts; /* of all */
    double sampled;       /* places that pairs begin at */
};

static struct map_key place_key(struct model *model, struct process *process, uint32_t leaf)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, leaf);
    const struct db_node *caller = record != NULL ? run_record(process->run, DB_KIND_NODE, record->parent) : NULL;
    uint64_t call = caller != NULL ? caller->value : 0;
    return (struct map_key){(uintptr_t)lines_of_leaf(model, process, leaf), call, 1};
}

static struct load_place *place_at(struct balance *balance, struct map_key key)
{
    struct load_place *place = map_get(&balance->place_map, key);
    if (place == NULL) {
        place = memory_zeroed(1, sizeof *place);
        map_put(&balance->place_map, key, place);
        balance->places =
            memory_grow(balance->places, balance->place_count, &balance->place_capacity, sizeof(struct load_place *));
        balance->places[balance->place_count++] = place;
    }
    return place;
}

static void step_add(struct balance *balance, struct load_place *from, struct load_place *to, double weight)
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
    step->weight += weight;
}

static bool is_step(const struct process *process, const struct db_pair *record)
{
    const struct node *first = model_node(process, record->first_node),
                      *second = model_node(process, record->second_node);
    return record->first_access == DB_ACCESS_LOAD && record->second_access == DB_ACCESS_LOAD &&
           (record->flags & DB_PAIR_FIRST) != 0 && record->address_class == DB_CLASS_OBJECT && first != NULL &&
           second != NULL && !first->in_import && !second->in_import;
}

static void gather(struct balance *balance, struct model *model, struct process *process)
{
    struct run_cursor cursor = {0};
    for (const struct db_pair *record; (record = run_next(&process->run->tables[DB_KIND_PAIR], &cursor)) != NULL;) {
        if (!is_step(process, record))
            continue;
        struct load_place *from = place_at(balance, place_key(model, process, record->first_node));
        struct load_place *to = place_at(balance, place_key(model, process, record->second_node));
        balance->pairs += (double)record->count;
        from->starts += (double)record->scale;
        balance->starts += (double)record->scale;
        step_add(balance, from, to, (double)record->scale);
    }
}

/* Alike to all places that pairs begin at: in such a chain too those that nothing links keep what they have. */
static double doubt(const struct balance *balance)
{
    return DOUBT_PAIRS * balance->starts / balance->pairs;
}

static double trust(const struct balance *balance, const struct load_place *place)
{
    return place->starts / (place->starts + doubt(balance));
}

static void clocks_set(struct balance *balance)
{
    for (size_t i = 0; i < balance->place_count; i++)
        balance->sampled += balance->places[i]->starts > 0 ? 1 : 0;
    const double all = balance->starts + balance->sampled * doubt(balance);
    for (size_t i = 0; i < balance->place_count; i++) {
        struct load_place *place = balance->places[i];
        place->clock = place->mass = place->starts > 0 ? (place->starts + doubt(balance)) / all : 0;
    }
}

/* One step of the chain; how much mass moved. Places that no pair begins at pass it on as the clock has it. */
static double advance(struct balance *balance)
{
    double doubted = 0, unknown = 0, moved = 0;
    for (size_t i = 0; i < balance->place_count; i++) {
        struct load_place *place = balance->places[i];
        place->next = 0;
        if (place->starts > 0)
            doubted += place->mass * (1 - trust(balance, place));
        else
            unknown += place->mass;
    }
    for (size_t i = 0; i < balance->step_count; i++) {
        const struct step *step = balance->steps[i];
        step->to->next += step->from->mass * trust(balance, step->from) * step->weight / step->from->starts;
    }
    for (size_t i = 0; i < balance->place_count; i++) {
        struct load_place *place = balance->places[i];
        place->next += unknown * place->clock + (place->starts > 0 ? doubted / balance->sampled : 0);
        place->next = (place->mass + place->next) / 2; /* lazily: a cycle settles too */
        moved += fabs(place->next - place->mass);
        place->mass = place->next;
    }
    return moved;
}

struct balance *balance_make(struct model *model, struct process *process)
{
    struct balance *balance = memory_zeroed(1, sizeof *balance);
    gather(balance, model, process);
    if (balance->pairs <= 0 || balance->starts <= 0)
        return balance;
    clocks_set(balance);
    size_t rounds = WORK_MAX / (balance->step_count + 1);
    for (size_t i = 0; i < rounds && i < ROUNDS_MAX && advance(balance) > SETTLED; i++) {
    }
    return balance;
}

void balance_free(struct balance *balance)
{
    for (size_t i = 0; i < balance->place_count; i++)
        free(balance->places[i]);
    for (size_t i = 0; i < balance->step_count; i++)
        free(balance->steps[i]);
    free(balance->places);
    free(balance->steps);
    map_free(&balance->place_map);
    map_free(&balance->step_map);
    free(balance);
}

double balance_weight(const struct balance *balance, struct model *model, struct process *process, uint32_t first_node)
{
    const struct load_place *place = map_get(&balance->place_map, place_key(model, process, first_node));
    if (place == NULL || place->clock <= 0)
        return 1;
    return fmin(fmax(place->mass / place->clock, 1 / WEIGHT_MAX), WEIGHT_MAX);
}
