#include "model/lifetime.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/libraries.h"
#include "model/model.h"

/* Only a damaged file's bytes reach the end of the range; they stay there. */
static void bytes_add(uint64_t *sum, uint64_t count, uint64_t size_bytes)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size_bytes, &bytes) || __builtin_add_overflow(*sum, bytes, sum))
        *sum = UINT64_MAX;
}

static void alive_add(struct alive *alive, const struct process *process, const struct db_site *record, bool is_peak)
{
    struct faults faults = faults_of_site(process, record);
    uint64_t again = record->births - record->most_alive;
    alive->births += record->births;
    alive->ended += record->ended;
    alive->unfilled += record->unfilled;
    bytes_add(&alive->unfilled_bytes, record->unfilled, record->size_bytes);
    bytes_add(&alive->lifetime_ns, 1, record->lifetime_ns);
    alive->again += again;
    bytes_add(&alive->again_bytes, again, record->size_bytes);
    alive->faults.bytes += faults.bytes;
    alive->faults.seconds += faults.seconds;
    if (is_peak) {
        alive->peak_objects += record->peak_objects;
        bytes_add(&alive->peak_bytes, record->peak_objects, record->size_bytes);
    }
}

/* The process with the highest peak; of equal ones the first. */
static void choose_process(struct model *model)
{
    struct memory *memory = &model->memory;
    for (size_t i = 0; i < model->process_count; i++) {
        struct run_cursor cursor = {0};
        const struct db_live *record = run_next(&model->processes[i].run->tables[DB_KIND_LIVE], &cursor);
        if (record == NULL)
            continue;
        memory->processes++;
        model->processes[i].live = record;
        if (memory->record == NULL || record->peak_bytes > memory->record->peak_bytes) {
            memory->record = record;
            memory->process = &model->processes[i];
        }
    }
}

static void note_line(struct memory *memory, struct line *line)
{
    if (line->alive.peak_objects > 0)
        return;
    memory->lines = memory_grow(memory->lines, memory->line_count, &memory->line_capacity, sizeof(struct line *));
    memory->lines[memory->line_count++] = line;
}

static void charge_site(struct model *model, struct process *process, const struct site *site,
                        const struct db_site *record)
{
    struct memory *memory = &model->memory;
    record = site->record != NULL ? site->record : record;
    bool is_peak = process == memory->process && record->peak_objects > 0;
    const struct node *node = record->node != 0 ? model_node(process, record->node) : NULL;
    if (record->size_bytes < DB_LIVE_SMALL_BYTES)
        return;
    if (node != NULL && node->in_import) {
        if (is_peak)
            bytes_add(&memory->import_bytes, record->peak_objects, record->size_bytes);
        return;
    }
    /* Where the context was not recorded, no sign of a phase was. */
    if (node != NULL ? !node_counts(model, process, node) : model->phase < PHASE_OTHER)
        return;
    alive_add(&memory->all, process, record, is_peak);
    struct line *line = node != NULL ? lines_of_leaf(model, process, record->node) : NULL;
    if (line == NULL)
        return;
    if (is_peak)
        note_line(memory, line);
    alive_add(&line->alive, process, record, is_peak);
    if (is_peak && site->record != NULL && site_is_reserve(site))
        bytes_add(&line->alive.reserve_bytes, record->peak_objects, record->size_bytes);
}

static int line_order(const void *left, const void *right)
{
    const struct line *a = *(struct line *const *)left, *b = *(struct line *const *)right;
    if (a->alive.peak_bytes != b->alive.peak_bytes)
        return a->alive.peak_bytes > b->alive.peak_bytes ? -1 : 1;
    int order = strcmp(a->file, b->file);
    return order != 0 ? order : a->number - b->number;
}

/* What the snapshot has beyond all that is told of it. */
static uint64_t other_bytes(const struct memory *memory)
{
    uint64_t told = memory->record->snapshot_small_bytes + memory->record->snapshot_siteless_bytes;
    bytes_add(&told, 1, memory->import_bytes);
    for (size_t i = 0; i < memory->line_count; i++)
        bytes_add(&told, 1, memory->lines[i]->alive.peak_bytes);
    return memory->record->snapshot_bytes > told ? memory->record->snapshot_bytes - told : 0;
}

void lifetime_charge(struct model *model)
{
    struct memory *memory = &model->memory;
    choose_process(model);
    for (size_t i = 0; i < model->process_count; i++) {
        const struct run_table *table = &model->processes[i].run->tables[DB_KIND_SITE];
        struct run_cursor cursor = {0};
        for (const struct db_site *record; (record = run_next(table, &cursor)) != NULL;)
            charge_site(model, &model->processes[i], &model->processes[i].sites[cursor.index], record);
    }
    if (memory->record != NULL) {
        memory->uncounted = memory->process->run->record->dropped[DB_DROP_OBJECT_TABLE_FULL];
        memory->other_bytes = other_bytes(memory);
    }
    if (memory->line_count > 0)
        qsort(memory->lines, memory->line_count, sizeof(struct line *), line_order);
}

void lifetime_free(struct model *model)
{
    free(model->memory.lines);
    model->memory = (struct memory){0};
}

static void merge_bins(struct memory_curve *curve, uint64_t *bin_ns)
{
    for (size_t i = 0; i < curve->count; i += 2) {
        uint64_t one = curve->max_bytes[i], other = i + 1 < curve->count ? curve->max_bytes[i + 1] : 0;
        curve->max_bytes[i / 2] = one > other ? one : other;
    }
    curve->count = (curve->count + 1) / 2;
    *bin_ns *= 2;
}

/* After the last change the level stays as it is to the process's end. */
void lifetime_curve(const struct memory *memory, struct memory_curve *curve)
{
    const struct db_process *process = memory->process->run->record;
    uint64_t bin_ns = memory->record->bin_ns, life_ns = process->last_monotonic_ns - process->start_monotonic_ns;
    *curve = (struct memory_curve){.count = memory->record->bins, .bin_s = (double)bin_ns * 1e-9};
    memcpy(curve->max_bytes, memory->record->max_bytes, curve->count * sizeof(curve->max_bytes[0]));
    if (curve->count == 0 || bin_ns == 0 || life_ns == 0)
        return;
    while ((life_ns - 1) / bin_ns >= DB_LIVE_BINS)
        merge_bins(curve, &bin_ns);
    for (size_t wanted = (size_t)((life_ns - 1) / bin_ns) + 1; curve->count < wanted; curve->count++)
        curve->max_bytes[curve->count] = (uint64_t)memory->record->bytes;
    curve->bin_s = (double)bin_ns * 1e-9;
}

bool lifetime_mean_s(const struct alive *alive, double *seconds)
{
    *seconds = alive->ended > 0 ? (double)alive->lifetime_ns * 1e-9 / (double)alive->ended : 0;
    return alive->ended > 0;
}
