/* Hardware events (PIEPROF_EVENTS) of lines. Counts are sums of 64-bit counters, so they are kept as doubles. */
#include "model/model.h"

/* The model's number for a process's event; DB_EVENTS_MAX when it has no name, or no room is left. */
static size_t event_index(struct model *model, const struct process *process, uint32_t event)
{
    const char *name = intern_string(process->run->record->events[event]);
    for (size_t i = 0; i < DB_EVENTS_MAX && *name != '\0'; i++) {
        if (model->event_names[i] == NULL)
            model->event_names[i] = name;
        if (model->event_names[i] == name)
            return i;
    }
    return DB_EVENTS_MAX;
}

static void charge_process(struct model *model, struct process *process)
{
    struct run_cursor cursor = {0};
    for (const struct db_counter *record;
         (record = run_next(&process->run->tables[DB_KIND_COUNTER], &cursor)) != NULL;) {
        size_t event = event_index(model, process, record->event);
        const struct node *node = model_node(process, record->node);
        if (event == DB_EVENTS_MAX || node == NULL || !node_counts(model, process, node))
            continue;
        struct line *line = lines_of_leaf(model, process, record->node);
        model->event_totals[event] += (double)record->value;
        if (line != NULL)
            line->events[event] += (double)record->value;
    }
}

void events_charge(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++)
        charge_process(model, &model->processes[i]);
}
