/* How many results a Python instruction makes, of all sizes. */
#include "base/intern.h"
#include "model/model.h"

static bool is_of_instruction(const struct site *site)
{
    return site->record != NULL && site->place != NULL;
}

static struct map_key instruction_of(const struct site *site)
{
    return (struct map_key){(uintptr_t)site->process, site->python, site->record->ordinal};
}

/* The first site of an instruction has the sum. */
static void add_births(struct map *firsts, struct site *site)
{
    struct site *first = map_get(firsts, instruction_of(site));
    if (first == NULL)
        map_put(firsts, instruction_of(site), first = site);
    if (site->record->workspaces * 2 <= site->record->looked_at)
        first->births_there += site->record->births;
}

static void note_there(struct place *place, uint64_t births)
{
    bool is_first = place->most_there == 0;
    place->least_there = is_first || births < place->least_there ? births : place->least_there;
    place->most_there = births > place->most_there ? births : place->most_there;
}

static void count_births(struct process *process, struct map *firsts)
{
    struct run_cursor cursor = {0};
    while (run_next(&process->run->tables[DB_KIND_SITE], &cursor) != NULL)
        if (is_of_instruction(&process->sites[cursor.index]))
            add_births(firsts, &process->sites[cursor.index]);
    cursor = (struct run_cursor){0};
    while (run_next(&process->run->tables[DB_KIND_SITE], &cursor) != NULL) {
        struct site *site = &process->sites[cursor.index];
        if (!is_of_instruction(site))
            continue;
        site->births_there = ((struct site *)map_get(firsts, instruction_of(site)))->births_there;
        note_there(site->place, site->births_there);
    }
}

void births_count(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++) {
        struct map firsts = {0};
        count_births(&model->processes[i], &firsts);
        map_free(&firsts);
    }
}
