/* Sites of objects charged to lines, and to the instructions on their ways (places) that made them. */
#include <stdlib.h>

#include "base/memory.h"
#include "model/model.h"

/* Only a damaged file's bytes reach the end of the range; they stay there. */
static void bytes_add(uint64_t *sum, uint64_t count, uint64_t size_bytes)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size_bytes, &bytes) || __builtin_add_overflow(*sum, bytes, sum))
        *sum = UINT64_MAX;
}

static void objects_add(struct objects *objects, const struct db_site *record)
{
    objects->sites++;
    objects->births += record->births;
    objects->workspaces += record->workspaces;
    objects->unfilled += record->unfilled;
    objects->examined += record->examined;
    objects->constant += record->constant;
    objects->zero += record->zero;
    objects->replicas += record->replicas;
    objects->copies += record->copies;
    objects->live_at_end += record->live_at_end;
    objects->skipped += record->skipped;
    bytes_add(&objects->replica_bytes, record->replicas, record->size_bytes);
    bytes_add(&objects->constant_bytes, record->constant, record->size_bytes);
    bytes_add(&objects->workspace_bytes, record->workspaces, record->size_bytes);
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

static void charge_site(struct model *model, struct process *process, struct site *site, const struct db_site *record)
{
    const struct node *node = record->node != 0 ? model_node(process, record->node) : NULL;
    if (node == NULL || node->in_import) /* without a context nobody knows whether it was below an import */
        return;
    site->record = record;
    site->process = process;
    objects_add(&model->totals.objects, record);
    struct line *line = lines_of_leaf(model, process, record->node);
    if (line == NULL)
        return;
    objects_add(&line->objects, record);
    site->place = place_of(model, process, lines_frame_of_leaf(model, process, record->node), line);
    site->next = site->place->sites;
    site->place->sites = site;
}

static void charge_link(struct model *model, struct process *process, const struct db_link *record)
{
    const struct run_table *table = &process->run->tables[DB_KIND_SITE];
    struct site *first = &process->sites[run_index(table, record->first_site)];
    struct site *second = &process->sites[run_index(table, record->second_site)];
    if (first->record == NULL || second->record == NULL)
        return;
    uint64_t room = second->record->examined - second->linked;
    uint64_t objects = record->objects < room ? record->objects : room;
    second->linked += objects;
    if (second->link == NULL || record->objects > second->link->objects)
        second->link = record;
    struct objects *sums[] = {&model->totals.objects, second->place != NULL ? &second->place->line->objects : NULL};
    for (size_t i = 0; i < 2 && sums[i] != NULL; i++) {
        sums[i]->linked += objects;
        bytes_add(&sums[i]->linked_bytes, objects, second->record->size_bytes);
    }
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
}

/* Time of places: what ran below the same instruction on the same way, outside the interpreter or at its border. */
static void charge_times(struct model *model, struct process *process)
{
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        if (record->cpu_ns == 0 || node->in_import)
            continue;
        uint32_t frame = lines_frame_of_leaf(model, process, (uint32_t)cursor.id);
        struct line *line = frame != 0 ? lines_of_leaf(model, process, (uint32_t)cursor.id) : NULL;
        if (line == NULL || line->places == NULL)
            continue;
        struct map_key key = {(uintptr_t)line, model_node(process, frame)->way, 0};
        struct place *place = map_get(&model->place_map, key);
        if (place != NULL && time_kind_of(process, record, node) != TIME_PYTHON)
            place->ns += record->cpu_ns;
    }
}

void objects_charge(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++)
        charge_process(model, &model->processes[i]);
    for (size_t i = 0; i < model->process_count && model->place_count > 0; i++)
        charge_times(model, &model->processes[i]);
}

void objects_free(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++)
        free(model->processes[i].sites);
    for (size_t i = 0; i < model->place_count; i++)
        free(model->places[i]);
    free(model->places);
    map_free(&model->place_map);
}
