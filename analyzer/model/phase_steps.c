/* Whole steps of training that are named like what an optimizer does (phase.h). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

static struct code *code_of(struct model *model, struct process *process, const struct db_node *record)
{
    return record->frame == DB_FRAME_PYTHON ? model_code(model, process, (uint32_t)(record->value >> 32)) : NULL;
}

/* Of all its code objects: a function that is made again has another. */
static void take_sign(struct model *model, struct process *process, const struct code *step)
{
    const struct run_table *table = &process->run->tables[DB_KIND_CODE];
    struct run_cursor cursor = {0};
    while (run_next(table, &cursor) != NULL) {
        struct code *code = model_code(model, process, (uint32_t)cursor.id);
        if (code != NULL && code->phase.may_be_step && code->file == step->file &&
            strcmp(code->function, step->function) == 0)
            code->phase = (struct phase_sign){0};
    }
}

/* None of those on the way is the optimizer. `innermost` is by node's index, an id. */
static void take_signs(struct model *model, struct process *process, const uint32_t *innermost, uint32_t id)
{
    const struct run_table *table = &process->run->tables[DB_KIND_NODE];
    while (id != 0) {
        const struct db_node *record = run_record(process->run, DB_KIND_NODE, id);
        const struct code *code = code_of(model, process, record);
        if (code->phase.may_be_step)
            take_sign(model, process, code);
        id = record->parent != 0 ? innermost[run_index(table, record->parent)] : 0;
    }
}

void phase_find_steps(struct model *model, struct process *process)
{
    const struct run_table *table = &process->run->tables[DB_KIND_NODE];
    struct run_cursor cursor = {0};
    uint32_t *innermost = memory_zeroed(run_capacity(table), sizeof(*innermost)); /* that may be a step, on the way */
    for (const struct db_node *record; (record = run_next(table, &cursor)) != NULL;) {
        const struct code *code = code_of(model, process, record);
        uint32_t around = record->parent != 0 ? innermost[run_index(table, record->parent)] : 0;
        innermost[cursor.index] = around;
        if (code == NULL)
            continue;
        if (code->phase.may_be_step)
            innermost[cursor.index] = (uint32_t)cursor.id;
        else if (code->phase.strength != PHASE_UNKNOWN &&
                 (code->phase.phase == PHASE_FORWARD || code->phase.phase == PHASE_BACKWARD))
            take_signs(model, process, innermost, around);
    }
    free(innermost);
}
