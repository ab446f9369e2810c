#include "findings/needed_time.h"

#define FRAMES_MAX 200

static bool mostly_differs(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->examined > 2 * (record->constant + record->replicas + site->linked);
}

static struct map_key maker_of(const struct site *site)
{
    return (struct map_key){model_node(site->process, site->python)->way, 0, 0};
}

/* In the foundations' Python that the line itself calls: what a package calls is not counted as the line's call (callers.h). */
static bool is_within(struct model *model, const struct site *site)
{
    uint32_t line = lines_frame_of_leaf(model, site->process, site->record->node);
    return site->python != line && callers_frame(site->process, site->record->node) == line;
}

static void add_makers(struct model *model, struct map *makers, const struct place *place,
                       const struct site *const *sites, size_t count)
{
    struct map equal = {0};
    for (size_t i = 0; i < count; i++)
        map_put(&equal, maker_of(sites[i]), model);
    for (const struct site *site = place->sites; site != NULL; site = site->next)
        if (mostly_differs(site) && is_within(model, site) && map_get(&equal, maker_of(site)) == NULL)
            map_put(makers, maker_of(site), model);
    map_free(&equal);
}

static bool is_below(const struct process *process, uint32_t node_id, const struct map *makers)
{
    const struct node *node = model_node(process, node_id);
    for (unsigned i = 0; node != NULL && node->python != 0 && i < FRAMES_MAX; i++) {
        if (map_get(makers, (struct map_key){node->way, 0, 0}) != NULL)
            return true;
        const struct db_node *frame = run_record(process->run, DB_KIND_NODE, node->python);
        node = model_node(process, frame->parent);
    }
    return false;
}

static uint64_t time_of_process(struct model *model, struct process *process, const struct place *place,
                                const struct map *makers)
{
    uint64_t sum = 0;
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        const uint32_t id = (uint32_t)cursor.id;
        if (record->cpu_ns > 0 && !node->in_import && time_kind_of(process, record, node) != TIME_PYTHON &&
            is_below(process, id, makers) && objects_place_charged(model, process, id) == place)
            sum += record->cpu_ns;
    }
    return sum;
}

uint64_t needed_time(struct model *model, const struct place *place, const struct site *const *sites, size_t count)
{
    struct map makers = {0};
    uint64_t sum = 0;
    add_makers(model, &makers, place, sites, count);
    for (size_t i = 0; makers.count > 0 && i < model->process_count; i++)
        sum += time_of_process(model, &model->processes[i], place, &makers);
    map_free(&makers);
    return sum;
}
