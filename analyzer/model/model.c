#include "model/model.h"

#include <stdlib.h>

#include "base/memory.h"
#include "findings/finding.h"

/* Real tables take a few hundred bytes a code object; a hostile file could name one long table from all of its records. */
#define DECODE_BUDGET_BYTES (UINT64_C(64) << 20)

static void health_add(struct health *health, const struct db_process *record)
{
    health->samples += record->samples;
    health->native += record->native;
    health->call_ended += record->call_ended;
    health->resolved += record->resolved;
    health->armed += record->armed;
    health->finished += record->finished;
    health->traps += record->traps;
    health->shim_cpu_ns += record->shim_cpu_ns;
    if (health->shim_memory_bytes < record->shim_memory_bytes) /* forked children share what they inherited */
        health->shim_memory_bytes = record->shim_memory_bytes;
    health->threads += record->threads;
    health->objects += record->objects;
    for (size_t i = 0; i < DB_DROP_COUNT; i++)
        health->dropped[i] += record->dropped[i];
}

/*
 * From the first process's start to the last sign of life of any, on the clock all of them share. A process whose times
 * cannot be has no time between the two and does not count; nor does a run that spans more than any can.
 */
static double run_duration_s(const struct run *run)
{
    uint64_t start = UINT64_MAX, end = 0;
    for (size_t i = 0; i < run->process_count; i++) {
        const struct db_process *record = run->processes[i].record;
        if (record->last_monotonic_ns == record->start_monotonic_ns)
            continue;
        start = record->start_monotonic_ns < start ? record->start_monotonic_ns : start;
        end = record->last_monotonic_ns > end ? record->last_monotonic_ns : end;
    }
    return end > start && end - start <= RUN_TIME_LIMIT_NS ? (double)(end - start) * 1e-9 : 0;
}

void model_build_contexts(struct model *model, const struct run *run, const char *const *own, size_t own_count)
{
    *model = (struct model){
        .run = run, .phase = PHASE_COUNT, .own = own, .own_count = own_count, .process_count = run->process_count};
    model->decode_budget = DECODE_BUDGET_BYTES + run->file_bytes;
    model->processes = memory_zeroed(run->process_count, sizeof(*model->processes));
    for (size_t i = 0; i < run->process_count; i++) {
        struct process *process = &model->processes[i];
        process->run = &run->processes[i];
        process->codes = memory_zeroed(run_capacity(&process->run->tables[DB_KIND_CODE]), sizeof(*process->codes));
        modules_sort(process);
        nodes_resolve(model, process);
        health_add(&model->health, process->run->record);
    }
}

void model_charge(struct model *model)
{
    pairs_charge(model);
    events_charge(model);
    objects_charge(model);
    lifetime_charge(model);
    content_charge(model);
    idle_charge(model);
    mixing_charge(model);
}

void model_build(struct model *model, const struct run *run, const char *const *own, size_t own_count)
{
    model_build_contexts(model, run, own, own_count);
    model->duration_s = run_duration_s(run);
    lines_charge(model);
    objects_place(model);
    births_count(model);
    model_charge(model);
    findings_make(model);
    lines_rank(model);
    model->own_directory = lines_directory(model);
}

void model_free(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++) {
        struct process *process = &model->processes[i];
        size_t codes = run_capacity(&process->run->tables[DB_KIND_CODE]);
        for (size_t j = 0; j < codes; j++)
            line_table_free(&process->codes[j].table);
        free(process->codes);
        free(process->nodes);
        free(process->modules);
    }
    findings_free(model);
    objects_free(model);
    lifetime_free(model);
    content_free(model);
    mixing_free(model);
    pairs_free(model);
    for (size_t i = 0; i < model->line_total; i++)
        free(model->lines[i]);
    free(model->processes);
    free(model->lines);
    map_free(&model->line_map);
}
