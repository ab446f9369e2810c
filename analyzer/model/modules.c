/* From an address to the ELF object mapped there. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

static int range_order(const void *left, const void *right)
{
    const struct module_range *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

void modules_sort(struct process *process)
{
    const struct run_table *table = &process->run->tables[DB_KIND_MODULE];
    struct run_cursor cursor = {0};
    process->modules = memory_zeroed(run_capacity(table), sizeof(*process->modules));
    for (const struct db_module *record; (record = run_next(table, &cursor)) != NULL;)
        process->modules[process->module_count++] =
            (struct module_range){.low = record->low_address, .high = record->high_address, .record = record};
    if (process->module_count > 0)
        qsort(process->modules, process->module_count, sizeof(*process->modules), range_order);
    for (size_t i = 0; i < process->module_count; i++) {
        uint64_t before = i > 0 ? process->modules[i - 1].reach : 0;
        process->modules[i].reach = process->modules[i].high > before ? process->modules[i].high : before;
    }
}

const char *modules_path(const struct run_process *run, const struct db_module *module)
{
    const char *path = run_text(run, module->path_blob);
    const char *directory = run_text(run, run->record->directory_blob);
    return path[0] != '/' && strchr(path, '/') != NULL && directory[0] == '/' ? path_absolute(directory, path) : path;
}

/* Of several mapped there one after the other, one of the last few recorded is taken. */
const struct db_module *modules_find(const struct process *process, uint64_t address)
{
    size_t low = 0, high = process->module_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (process->modules[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low, tries = 0; i > 0 && tries < 16 && process->modules[i - 1].reach > address; i--, tries++)
        if (address < process->modules[i - 1].high)
            return process->modules[i - 1].record;
    return NULL;
}
