#include "findings/operand_time.h"

#include <stdlib.h>

#include "base/memory.h"
#include "findings/site_counts.h"

/* An instruction on one way, and all below it that is the line's own. */
struct operand {
    uint64_t execution; /* hash of its process, function and the way to that */
    struct line_span span;
    struct fed time;
    bool told;
};

struct operand_times {
    struct operand *operands; /* by execution */
    size_t count, capacity;
};

static uint64_t execution_of(const struct process *process, const struct db_node *frame)
{
    return hash_mix((uintptr_t)process ^ hash_mix((uint64_t)frame->parent << 32 ^ frame->value >> 32));
}

/* No results come of it. */
static bool makes_nothing(const struct place *place)
{
    for (const struct site *site = place != NULL ? place->sites : NULL; site != NULL; site = site->next)
        if (site_results(site) > 0)
            return false;
    return true;
}

static void add_node(struct operand_times *times, struct model *model, struct process *process, uint32_t node_id,
                     const struct db_node *record)
{
    struct code *code = NULL;
    if (!makes_nothing(objects_place_charged(model, process, node_id)))
        return;
    const struct db_node *frame = run_record(process->run, DB_KIND_NODE, lines_frame_of_leaf(model, process, node_id));
    if (frame == NULL || frame->frame != DB_FRAME_PYTHON)
        return;
    struct line_span span = model_position(model, process, frame, &code);
    if (span.column < 0 || span.line <= 0)
        return;
    times->operands = memory_grow(times->operands, times->count, &times->capacity, sizeof(*times->operands));
    times->operands[times->count++] = (struct operand){
        .execution = execution_of(process, frame), .span = span, .time = {record->cpu_ns, record->samples}};
}

static int operand_order(const void *left, const void *right)
{
    const struct operand *a = left, *b = right;
    return (a->execution > b->execution) - (a->execution < b->execution);
}

static struct operand_times *times_of(struct model *model)
{
    if (model->operand_times != NULL)
        return model->operand_times;
    struct operand_times *times = memory_zeroed(1, sizeof(*times));
    for (size_t i = 0; i < model->process_count; i++) {
        struct process *process = &model->processes[i];
        struct run_cursor cursor = {0};
        for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;)
            if (record->cpu_ns > 0 && !process->nodes[cursor.index].in_import)
                add_node(times, model, process, (uint32_t)cursor.id, record);
    }
    if (times->count > 0)
        qsort(times->operands, times->count, sizeof(*times->operands), operand_order);
    return model->operand_times = times;
}

static bool is_before(int32_t line, int32_t column, int32_t other_line, int32_t other_column)
{
    return line < other_line || (line == other_line && column < other_column);
}

/* Within it, and not all of it. */
static bool is_part(const struct line_span *span, const struct line_span *whole)
{
    bool begins_before = is_before(span->line, span->column, whole->line, whole->column);
    bool ends_behind = is_before(whole->end_line, whole->end_column, span->end_line, span->end_column);
    bool same = span->line == whole->line && span->column == whole->column && span->end_line == whole->end_line &&
                span->end_column == whole->end_column;
    return !begins_before && !ends_behind && !same;
}

struct fed operand_time_take(struct model *model, const struct place *place)
{
    const struct operand_times *times = times_of(model);
    const struct site *site = place->sites;
    struct code *code = NULL;
    struct fed sum = {0};
    const struct db_node *frame =
        run_record(site->process->run, DB_KIND_NODE, lines_frame_of_leaf(model, site->process, site->record->node));
    struct line_span whole = frame != NULL ? model_position(model, site->process, frame, &code) : (struct line_span){0};
    if (frame == NULL || whole.column < 0)
        return sum;
    const uint64_t execution = execution_of(site->process, frame);
    size_t low = 0, high = times->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (times->operands[middle].execution < execution)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < times->count && times->operands[low].execution == execution; low++) {
        struct operand *operand = &times->operands[low];
        if (operand->told || !is_part(&operand->span, &whole))
            continue;
        operand->told = true;
        sum.ns += operand->time.ns;
        sum.samples += operand->time.samples;
    }
    return sum;
}

void operand_times_free(struct model *model)
{
    if (model->operand_times != NULL)
        free(model->operand_times->operands);
    free(model->operand_times);
    model->operand_times = NULL;
}
