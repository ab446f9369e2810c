#include "model/packages.h"

#define PACKAGES_MAX 64u

struct spent {
    const char *name; /* interned */
    uint64_t ns;
};

static struct spent *spent_of(struct spent *all, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (all[i].name == name)
            return &all[i];
    if (*count == PACKAGES_MAX)
        return NULL;
    all[*count] = (struct spent){.name = name};
    return &all[(*count)++];
}

static void add_process(const struct model *model, const struct process *process, struct spent *all, size_t *count)
{
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        if (record->cpu_ns == 0 || !node_counts(model, process, node) || node->user == 0 || node->package == NULL)
            continue;
        struct spent *spent = spent_of(all, count, node->package);
        if (spent != NULL)
            spent->ns += record->cpu_ns;
    }
}

const char *packages_heaviest(const struct model *model, uint64_t *ns)
{
    struct spent all[PACKAGES_MAX], heaviest = {0};
    size_t count = 0;
    for (size_t i = 0; i < model->process_count; i++)
        add_process(model, &model->processes[i], all, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].ns > heaviest.ns)
            heaviest = all[i];
    *ns = heaviest.ns;
    return heaviest.name;
}
