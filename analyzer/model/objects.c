/* Sites of objects charged to lines, and to the instructions on their ways (places) that made them. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "findings/far.h"
#include "findings/filled.h"
#include "model/model.h"

#define FRAMES_MAX 200
#define PERIOD_VOTES_MIN 3u

/* Only a damaged file's bytes reach the end of the range; they stay there. */
static void bytes_add(uint64_t *sum, uint64_t count, uint64_t size_bytes)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size_bytes, &bytes) || __builtin_add_overflow(*sum, bytes, sum))
        *sum = UINT64_MAX;
}

/* Of all births, as many as of those looked at. */
static uint64_t of_births(const struct db_site *record, uint64_t part)
{
    if (record->looked_at == 0 || record->looked_at >= record->births)
        return part;
    return (uint64_t)((double)record->births * ((double)part / (double)record->looked_at));
}

static void add_estimate(struct objects *objects, const struct db_site *record, double replicas)
{
    objects->estimate += replicas;
    objects->estimate_bytes += replicas * (double)record->size_bytes;
}

/*
 * By the share of its contents' objects that are first ones. How many contents there are is known as well as a sample of
 * them tells, one in 2^far_bits.
 */
static void estimate_far(struct objects *objects, const struct db_site *record)
{
    double contents = (double)record->far_contents, results = (double)of_births(record, record->examined);
    double fresh = results * contents / (double)record->far_examined;
    double left_out = 1 - 1 / (double)(1u << record->far_bits);
    add_estimate(objects, record, fmax(results - fresh, (double)record->replicas));
    objects->variance += fresh * fresh * (left_out + 1 / contents) / contents;
}

/* Replicas among all births, if so many of the undecided ones were: those left out are as those of which it is known. */
static double with_undecided(const struct db_site *record, double later, double unseen, double undecided)
{
    double replicas = (double)record->replicas + undecided, of = fmax(later + (double)record->undecided, 1);
    return replicas + (unseen - (double)record->undecided) * replicas / of;
}

/* Births of the first period, which is looked at and new, where enough of them tell that there is one. */
static double first_births(const struct db_site *record, double known)
{
    bool is_told = record->period_replicas >= PERIOD_VOTES_MIN && record->period < known;
    return is_told ? (double)record->period : 1;
}

/*
 * Of births that were not looked at, what the others of the site say, but for its first period. Data
 * structures, which are looked at and not examined, are never replicas. Adding two of each kind keeps the variance from 0.
 * Those of which nothing is known may all be new, or none.
 */
static void estimate_add(struct objects *objects, const struct db_site *record)
{
    double births = (double)record->births, replicas = (double)record->replicas;
    double known = (double)(record->workspaces + record->unfilled + record->examined);
    bool is_structure = record->unfilled + record->examined == 0 && record->looked_at > record->workspaces;
    if (far_shows_more(record)) {
        estimate_far(objects, record);
        return;
    }
    if (record->looked_at == record->births || known <= 0 || is_structure) {
        add_estimate(objects, record, replicas);
        return;
    }
    double later = fmax(fmax(known - first_births(record, known), replicas), 1);
    double unseen = fmax(births - known, (double)record->undecided);
    double chance = (replicas + 2) / (later + 4);
    double middle = with_undecided(record, later, unseen, (double)record->undecided * replicas / later);
    add_estimate(objects, record, middle);
    objects->below += middle - with_undecided(record, later, unseen, 0);
    objects->above += with_undecided(record, later, unseen, (double)record->undecided) - middle;
    objects->variance += unseen * (unseen + later) * chance * (1 - chance) / (later + 4);
}

/*
 * Of a site of which a part was looked at, and of these some were results and some were not: how far off its results may be.
 * Births are looked at in pairs of neighbours, which go together: half as many are counted. Two of each kind are added.
 */
static double results_variance(const struct db_site *record)
{
    double births = (double)record->births, seen = (double)record->looked_at;
    double others = (double)(record->workspaces + record->unfilled);
    if (seen >= births || others <= 0 || others >= seen)
        return 0;
    double chance = (others + 2) / (seen + 4);
    return births * (births - seen) * chance * (1 - chance) * 2 / seen;
}

double objects_results_low(const struct objects *objects)
{
    double low = (double)objects_results(objects) - 1.96 * sqrt(objects->results_variance);
    return fmax(low, (double)objects->examined);
}

double objects_results_high(const struct objects *objects)
{
    double high = (double)objects_results(objects) + 1.96 * sqrt(objects->results_variance);
    return fmin(high, (double)objects->births);
}

struct objects_estimate objects_estimate(const struct objects *objects)
{
    bool is_exact = objects->skipped == 0 && objects->estimate <= (double)objects->replicas;
    if (is_exact || objects->examined == 0)
        return (struct objects_estimate){0};
    double half = 1.96 * sqrt(objects->variance), most = (double)objects_results(objects);
    double low = fmax(objects->estimate - objects->below - half, (double)objects->replicas);
    double high = fmin(objects->estimate + objects->above + half, objects_results_high(objects));
    double middle = fmin(objects->estimate, fmax(most, (double)objects->replicas));
    return (struct objects_estimate){.known = true,
                                     .replicas = (uint64_t)llround(middle),
                                     .low = (uint64_t)floor(fmin(low, middle)),
                                     .high = (uint64_t)ceil(fmax(high, middle))};
}

static void objects_add(struct objects *objects, const struct db_site *record)
{
    uint64_t workspaces = of_births(record, record->workspaces);
    objects->sites++;
    objects->births += record->births;
    objects->workspaces += workspaces;
    objects->unfilled += of_births(record, record->unfilled);
    objects->examined += record->examined;
    objects->constant += record->constant;
    objects->zero += record->zero;
    objects->replicas += record->replicas;
    objects->copies += record->copies;
    objects->live_at_end += record->live_at_end;
    objects->far_examined += record->far_examined;
    objects->far_replicas += record->far_examined - record->far_contents;
    objects->skipped += record->births - record->looked_at;
    objects->results_variance += results_variance(record);
    estimate_add(objects, record);
    bytes_add(&objects->replica_bytes, record->replicas, record->size_bytes);
    bytes_add(&objects->constant_bytes, record->constant, record->size_bytes);
    bytes_add(&objects->workspace_bytes, workspaces, record->size_bytes);
}

/* The place of a frame on `line`, made at the first site. */
static struct place *place_of(struct model *model, struct process *process, uint32_t frame, struct line *line)
{
    struct map_key key = {(uintptr_t)line, model_node(process, frame)->way, 0};
    struct place *place = map_get(&model->place_map, key);
    if (place != NULL)
        return place;
    struct code *code;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    place = memory_zeroed(1, sizeof(*place));
    *place = (struct place){.line = line, .span = model_position(model, process, record, &code), .next = line->places};
    line->places = place;
    map_put(&model->place_map, key, place);
    model->places = memory_grow(model->places, model->place_count, &model->place_capacity, sizeof(struct place *));
    return model->places[model->place_count++] = place;
}

/*
 * Where no object of the site was seen to be filled, its call says whether they were. From here on those that were not, as
 * far as is known, are beside the examined ones, and nothing else is said of them.
 */
static const struct db_site *decide(struct model *model, struct process *process, struct site *site,
                                    const struct db_site *record)
{
    if (record->unfilled == 0)
        return record;
    site->decided = memory_zeroed(1, sizeof(*site->decided));
    *site->decided = *record;
    if (call_fills(model, process, record->node)) {
        site->decided->unfilled = 0;
        return site->decided;
    }
    site->decided->unfilled = record->examined;
    uint64_t *counters[] = {&site->decided->examined,
                            &site->decided->constant,
                            &site->decided->zero,
                            &site->decided->alike,
                            &site->decided->replicas,
                            &site->decided->period_replicas,
                            &site->decided->copies,
                            &site->decided->far_births,
                            &site->decided->far_contents,
                            &site->decided->far_examined,
                            &site->decided->far_squares,
                            &site->decided->far_spans,
                            &site->decided->far_period_replicas};
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        *counters[i] = 0;
    site->decided->far_period = 0;
    return site->decided;
}

static void charge_site(struct model *model, struct process *process, struct site *site, const struct db_site *record)
{
    const struct node *node = record->node != 0 ? model_node(process, record->node) : NULL;
    if (node == NULL || node->in_import) /* without a context nobody knows whether it was below an import */
        return;
    record = decide(model, process, site, record);
    site->record = record;
    site->process = process;
    site->python = node->python;
    objects_add(&model->totals.objects, record);
    objects_add(&model->totals.phases[node_phase(process, node)].objects, record);
    struct line *line = lines_of_leaf(model, process, record->node);
    if (line == NULL)
        return;
    objects_add(&line->objects, record);
    line->phases |= 1u << node_phase(process, node);
    site->place = place_of(model, process, lines_frame_of_leaf(model, process, record->node), line);
    site->next = site->place->sites;
    site->place->sites = site;
}

static void charge_link(struct model *model, struct process *process, const struct db_link *record)
{
    const struct run_table *table = &process->run->tables[DB_KIND_SITE];
    struct site *first = &process->sites[run_index(table, record->first_site)];
    struct site *second = &process->sites[run_index(table, record->second_site)];
    if (first->record == NULL || second->record == NULL || first->record->unfilled > 0 || second->record->unfilled > 0)
        return;
    uint64_t room = second->record->examined - second->linked;
    uint64_t objects = record->objects < room ? record->objects : room;
    second->linked += objects;
    if (second->link == NULL || record->objects > second->link->objects)
        second->link = record;
    enum phase phase = node_phase(process, model_node(process, second->record->node));
    struct objects *sums[] = {&model->totals.objects, &model->totals.phases[phase].objects,
                              second->place != NULL ? &second->place->line->objects : NULL};
    for (size_t i = 0; i < 3 && sums[i] != NULL; i++) {
        sums[i]->linked += objects;
        bytes_add(&sums[i]->linked_bytes, objects, second->record->size_bytes);
    }
}

/*
 * One object alone was compared with nothing, and no count rests on it. Whether a library's own structure is examined at all may depend on
 * what chance left unwritten in it; most of these are made once.
 */
static void discharge_single(struct model *model, struct process *process, const struct site *site)
{
    const struct db_site *record = site->record;
    if (record == NULL || record->examined != 1 ||
        record->constant + record->replicas + record->copies + site->linked > 0)
        return;
    const struct node *node = model_node(process, record->node);
    struct line *line = lines_of_leaf(model, process, record->node);
    model->totals.objects.examined--;
    model->totals.phases[node_phase(process, node)].objects.examined--;
    if (line != NULL)
        line->objects.examined--;
}

static void charge_process(struct model *model, struct process *process)
{
    const struct run_table *table = &process->run->tables[DB_KIND_SITE];
    struct run_cursor cursor = {0};
    process->sites = memory_zeroed(run_capacity(table), sizeof(*process->sites));
    for (const struct db_site *record; (record = run_next(table, &cursor)) != NULL;)
        charge_site(model, process, &process->sites[cursor.index], record);
    cursor = (struct run_cursor){0};
    for (const struct db_link *record; (record = run_next(&process->run->tables[DB_KIND_LINK], &cursor)) != NULL;)
        charge_link(model, process, record);
    cursor = (struct run_cursor){0};
    while (run_next(table, &cursor) != NULL)
        discharge_single(model, process, &process->sites[cursor.index]);
}

const struct site *objects_site_of_pair(const struct process *process, const struct db_pair *record)
{
    size_t index = record->site != 0 ? run_index(&process->run->tables[DB_KIND_SITE], record->site) : SIZE_MAX;
    const struct site *site = index != SIZE_MAX ? &process->sites[index] : NULL;
    return site != NULL && site->record != NULL && site->place != NULL ? site : NULL;
}

uint32_t objects_caller_frame(struct model *model, struct process *process, uint32_t node_id)
{
    const struct node *node = model_node(process, node_id);
    node_id = node != NULL ? node->python : 0;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        const struct code *code =
            record->frame == DB_FRAME_PYTHON ? model_code(model, process, (uint32_t)(record->value >> 32)) : NULL;
        if (code != NULL && code->owner != OWNER_FOUNDATION && code->owner != OWNER_STDLIB)
            return node_id;
        node_id = record->parent;
        record = run_record(process->run, DB_KIND_NODE, node_id);
    }
    return 0;
}

/* By way, as places are: CPython 3.11 makes one call from two instructions (nodes.c). */
static struct map_key caller_key(struct model *model, struct process *process, uint32_t node_id)
{
    const struct node *frame = model_node(process, objects_caller_frame(model, process, node_id));
    return (struct map_key){frame != NULL ? frame->way : 0, 0, 0};
}

struct caller *objects_caller(struct model *model, struct process *process, uint32_t node_id)
{
    return map_get(&model->caller_map, caller_key(model, process, node_id));
}

static void charge_caller(struct model *model, struct process *process, uint32_t node_id, uint64_t cpu_ns)
{
    struct map_key key = caller_key(model, process, node_id);
    struct caller *caller = map_get(&model->caller_map, key);
    if (caller == NULL) {
        caller = memory_zeroed(1, sizeof(*caller));
        caller->next = model->callers;
        model->callers = caller;
        map_put(&model->caller_map, key, caller);
    }
    caller->native_ns += cpu_ns;
}

struct place *objects_place_charged(struct model *model, struct process *process, uint32_t node_id)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    const struct node *node = model_node(process, node_id);
    uint32_t frame = lines_frame_of_leaf(model, process, node_id);
    struct line *line = frame != 0 ? lines_of_leaf(model, process, node_id) : NULL;
    if (line == NULL || line->places == NULL)
        return NULL;
    bool own = node->python == frame && time_kind_of(process, record, node) == TIME_PYTHON;
    struct map_key key = {(uintptr_t)line, model_node(process, frame)->way, 0};
    return own ? NULL : map_get(&model->place_map, key);
}

static void charge_times(struct model *model, struct process *process)
{
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        struct place *place =
            record->cpu_ns > 0 && !node->in_import ? objects_place_charged(model, process, (uint32_t)cursor.id) : NULL;
        if (place == NULL)
            continue;
        bool python = time_kind_of(process, record, node) == TIME_PYTHON;
        place->ns += record->cpu_ns;
        place->samples += record->samples;
        place->native_ns += python ? 0 : record->cpu_ns;
        if (!python)
            charge_caller(model, process, node->python, record->cpu_ns);
    }
}

void objects_charge(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++)
        charge_process(model, &model->processes[i]);
    for (size_t i = 0; i < model->process_count && model->place_count > 0; i++)
        charge_times(model, &model->processes[i]);
}

static void free_sites(struct process *process)
{
    free(process->beside);
    for (size_t i = 0; process->sites != NULL && i < run_capacity(&process->run->tables[DB_KIND_SITE]); i++)
        free(process->sites[i].decided);
    free(process->sites);
}

void objects_free(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++)
        free_sites(&model->processes[i]);
    for (size_t i = 0; i < model->place_count; i++)
        free(model->places[i]);
    free(model->places);
    map_free(&model->place_map);
    for (struct caller *caller = model->callers, *next; caller != NULL; caller = next) {
        next = caller->next;
        free(caller);
    }
    map_free(&model->caller_map);
}
