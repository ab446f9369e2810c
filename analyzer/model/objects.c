/* Sites of objects at the instructions on their ways (places) that made them, and how long these took. */
#include <stdlib.h>

#include "base/memory.h"
#include "findings/far.h"
#include "findings/filled.h"
#include "model/model.h"

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

/* Did a content come twice, or was it made elsewhere as well? */
static bool is_repeated(const struct site *site, const struct db_site *record)
{
    return site->is_linked || record->far_contents < record->far_examined ||
           record->replicas + record->period_replicas + record->constant + record->copies > 0;
}

static void forget_contents(struct db_site *site)
{
    uint64_t *counters[] = {&site->examined,        &site->constant,     &site->zero,
                            &site->replicas,        &site->copies,       &site->far_births,
                            &site->period_replicas, &site->far_contents, &site->far_examined,
                            &site->far_squares,     &site->far_spans,    &site->far_period_replicas};
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        *counters[i] = 0;
    site->alike = 0;
    site->far_period = 0;
}

/*
 * Where no object of the site was seen to be filled, its call says whether they were. But a call that fills one may leave another
 * as it was; of leftovers, which differ from run to run, nothing comes again. From here on those that were not filled, as far as is
 * known, are beside the examined ones, and nothing else is said of them.
 */
static const struct db_site *decide(struct model *model, struct process *process, struct site *site,
                                    const struct db_site *record)
{
    if (record->unfilled == 0)
        return record;
    site->decided = memory_zeroed(1, sizeof(*site->decided));
    *site->decided = *record;
    if (is_repeated(site, record) && call_fills(model, process, record->node)) {
        site->decided->unfilled = 0;
        return site->decided;
    }
    site->decided->unfilled = record->examined;
    forget_contents(site->decided);
    return site->decided;
}

static void place_site(struct model *model, struct process *process, struct site *site, const struct db_site *record)
{
    const struct node *node = record->node != 0 ? model_node(process, record->node) : NULL;
    if (node == NULL || node->in_import) /* without a context nobody knows whether it was below an import */
        return;
    record = decide(model, process, site, record);
    site->record = record;
    site->process = process;
    site->python = node->python;
    struct line *line = lines_of_leaf(model, process, record->node);
    if (line == NULL)
        return;
    line->phases |= 1u << node_phase(process, node);
    site->place = place_of(model, process, lines_frame_of_leaf(model, process, record->node), line);
    site->next = site->place->sites;
    site->place->sites = site;
}

static void mark_linked(struct process *process, const struct db_link *record)
{
    const struct run_table *table = &process->run->tables[DB_KIND_SITE];
    process->sites[run_index(table, record->first_site)].is_linked = true;
    process->sites[run_index(table, record->second_site)].is_linked = true;
}

static void place_link(struct process *process, const struct db_link *record)
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
}

static void place_process(struct model *model, struct process *process)
{
    const struct run_table *table = &process->run->tables[DB_KIND_SITE];
    struct run_cursor cursor = {0};
    process->sites = memory_zeroed(run_capacity(table), sizeof(*process->sites));
    for (const struct db_link *record; (record = run_next(&process->run->tables[DB_KIND_LINK], &cursor)) != NULL;)
        mark_linked(process, record);
    cursor = (struct run_cursor){0};
    for (const struct db_site *record; (record = run_next(table, &cursor)) != NULL;)
        place_site(model, process, &process->sites[cursor.index], record);
    cursor = (struct run_cursor){0};
    for (const struct db_link *record; (record = run_next(&process->run->tables[DB_KIND_LINK], &cursor)) != NULL;)
        place_link(process, record);
}

const struct site *objects_site_of_pair(const struct process *process, const struct db_pair *record)
{
    size_t index = record->site != 0 ? run_index(&process->run->tables[DB_KIND_SITE], record->site) : SIZE_MAX;
    const struct site *site = index != SIZE_MAX ? &process->sites[index] : NULL;
    return site != NULL && site->record != NULL && site->place != NULL ? site : NULL;
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

/* `native_ns`: by run_index() of the Python frames that the time was spent in. */
static void charge_callers(struct model *model, struct process *process, const uint64_t *native_ns)
{
    struct run_cursor cursor = {0};
    while (run_next(&process->run->tables[DB_KIND_NODE], &cursor) != NULL)
        if (native_ns[cursor.index] > 0)
            callers_charge(model, process, (uint32_t)cursor.id, native_ns[cursor.index]);
}

static void charge_times(struct model *model, struct process *process)
{
    const struct run_table *table = &process->run->tables[DB_KIND_NODE];
    uint64_t *native_ns = memory_zeroed(run_capacity(table), sizeof(*native_ns));
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(table, &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        struct place *place =
            record->cpu_ns > 0 && !node->in_import ? objects_place_charged(model, process, (uint32_t)cursor.id) : NULL;
        if (place == NULL)
            continue;
        bool python = time_kind_of(process, record, node) == TIME_PYTHON;
        place->ns += record->cpu_ns;
        place->samples += record->samples;
        place->native_ns += python ? 0 : record->cpu_ns;
        if (!python && node->python != 0)
            native_ns[run_index(table, node->python)] += record->cpu_ns;
    }
    charge_callers(model, process, native_ns);
    free(native_ns);
}

void objects_place(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++)
        place_process(model, &model->processes[i]);
    for (size_t i = 0; i < model->process_count && model->place_count > 0; i++)
        charge_times(model, &model->processes[i]);
}

static void free_sites(struct process *process)
{
    free(process->beside);
    memo_free(&process->operand_frames);
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
    callers_free(&model->callers);
}
