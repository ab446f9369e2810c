/* Whole steps of training that are named like what an optimizer does (phase.h). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

/* A node, by its index. */
struct call {
    struct code *code;
    uint32_t parent; /* its index and one; 0: none */
    bool passes;     /* forward or backward, it or what it calls */
};

static bool is_pass(const struct code *code)
{
    return code != NULL && code->phase.strength != PHASE_UNKNOWN &&
           (code->phase.phase == PHASE_FORWARD || code->phase.phase == PHASE_BACKWARD);
}

static struct call *calls_of(struct model *model, struct process *process, size_t count)
{
    const struct run_table *table = &process->run->tables[DB_KIND_NODE];
    struct call *calls = memory_zeroed(count, sizeof(*calls));
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(table, &cursor)) != NULL;) {
        struct call *call = &calls[cursor.index];
        call->code =
            record->frame == DB_FRAME_PYTHON ? model_code(model, process, (uint32_t)(record->value >> 32)) : NULL;
        call->parent = record->parent != 0 ? (uint32_t)run_index(table, record->parent) + 1 : 0;
        call->passes = is_pass(call->code);
    }
    return calls;
}

static int by_name(const void *one, const void *other)
{
    const struct code *a = *(struct code *const *)one, *b = *(struct code *const *)other;
    int order = strcmp(a->function, b->function);
    return order != 0 ? order : strcmp(a->file, b->file);
}

/* A function that is made again has another code object, which may have been seen at less. */
static void take_signs(struct code **steps, size_t count)
{
    qsort(steps, count, sizeof(struct code *), by_name);
    for (size_t first = 0, end; first < count; first = end) {
        bool passes = false;
        for (end = first; end < count && by_name(&steps[first], &steps[end]) == 0; end++)
            passes = passes || steps[end]->passes;
        for (size_t i = first; i < end && passes; i++)
            steps[i]->phase = (struct phase_sign){0};
    }
}

void phase_find_steps(struct model *model, struct process *process)
{
    size_t count = run_capacity(&process->run->tables[DB_KIND_NODE]), found = 0;
    struct call *calls = calls_of(model, process, count);
    struct code **steps = memory_zeroed(count, sizeof(struct code *));
    for (size_t i = count; i-- > 0;) { /* children come behind their parents */
        const struct call *call = &calls[i];
        if (call->passes && call->parent != 0)
            calls[call->parent - 1].passes = true;
        if (call->code == NULL || !call->code->phase.may_be_step)
            continue;
        call->code->passes |= call->passes;
        steps[found++] = call->code;
    }
    take_signs(steps, found);
    free(steps);
    free(calls);
}
