/* Calls into the foundations, with what all below each of them took. */
#include "model/callers.h"

#include <string.h>

#include "model/model.h"

#define FRAMES_MAX 200

uint32_t callers_frame(const struct process *process, uint32_t node_id)
{
    const struct node *node = model_node(process, node_id);
    return node != NULL ? node->calling_frame : 0;
}

static bool is_package_code(const struct process *process, uint64_t address)
{
    const struct db_module *module = modules_find(process, address);
    return module != NULL && path_of_package_code(modules_path(process->run, module));
}

/* "np.full(n, 0)", "np.empty_like(x)": what the caller then fills. */
static bool makes_blank(struct model *model, struct process *process, uint32_t frame)
{
    static const char *const functions[] = {"full",      "empty",      "zeros",      "ones",
                                            "full_like", "empty_like", "zeros_like", "ones_like"};
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    const struct code *code = record != NULL ? model_code(model, process, (uint32_t)(record->value >> 32)) : NULL;
    for (size_t i = 0; code != NULL && i < sizeof(functions) / sizeof(functions[0]); i++)
        if (strcmp(code->function, functions[i]) == 0)
            return true;
    return false;
}

/*
 * Where a package's compiled code stands between that frame and the foundations' Python, the Python function that it called: what else it
 * does, in place perhaps, is not what made the object. Unless that only made room for its results.
 */
static uint32_t called_frame(struct model *model, struct process *process, uint32_t node_id)
{
    const uint32_t caller = callers_frame(process, node_id);
    const struct node *node = model_node(process, node_id);
    uint32_t frame = caller, python = 0;
    node_id = node != NULL ? node->python : 0;
    for (unsigned i = 0; node_id != caller && i < FRAMES_MAX; i++) {
        const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
        if (record == NULL)
            break;
        if (record->frame == DB_FRAME_PYTHON)
            python = node_id;
        else if (record->frame == DB_FRAME_NATIVE && is_package_code(process, record->value))
            frame = makes_blank(model, process, python) ? frame : python;
        node_id = record->parent;
    }
    return frame;
}

/* By way, as places are: CPython 3.11 makes one call from two instructions (nodes.c). */
static struct map_key caller_key(struct model *model, struct process *process, uint32_t node_id)
{
    const struct node *frame = model_node(process, called_frame(model, process, node_id));
    return (struct map_key){frame != NULL ? frame->way : 0, 0, 0};
}

/* An execution of the function that makes the call: by the way to it, and by its name. */
static struct map_key function_key(struct model *model, struct process *process, uint32_t node_id)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, called_frame(model, process, node_id));
    const struct code *code = record != NULL ? model_code(model, process, (uint32_t)(record->value >> 32)) : NULL;
    const struct node *above = record != NULL ? model_node(process, record->parent) : NULL;
    if (code == NULL || above == NULL)
        return (struct map_key){0, 0, 0};
    return (struct map_key){above->way, (uintptr_t)code->file, (uintptr_t)code->function};
}

struct caller *callers_get(struct model *model, struct process *process, uint32_t node_id)
{
    return memo_find(&model->callers.by_way, caller_key(model, process, node_id));
}

struct caller *callers_of_function(struct model *model, struct process *process, uint32_t node_id)
{
    return map_get(&model->callers.by_function, function_key(model, process, node_id));
}

static int32_t line_of(struct model *model, struct process *process, uint32_t frame)
{
    struct code *code = NULL;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    return record != NULL ? model_position(model, process, record, &code).line : 0;
}

static void join_function(struct model *model, struct process *process, uint32_t node_id, struct caller *caller)
{
    struct map_key function = function_key(model, process, node_id);
    struct caller *first = map_get(&model->callers.by_function, function);
    if (first == NULL) {
        map_put(&model->callers.by_function, function, caller);
        return;
    }
    caller->beside = first->beside;
    first->beside = caller;
}

void callers_charge(struct model *model, struct process *process, uint32_t node_id, uint64_t cpu_ns)
{
    bool is_new = false;
    struct caller *caller =
        memo_get(&model->callers.by_way, caller_key(model, process, node_id), sizeof(*caller), &is_new);
    if (is_new) {
        caller->line = line_of(model, process, called_frame(model, process, node_id));
        join_function(model, process, node_id, caller);
    }
    caller->native_ns += cpu_ns;
}

uint64_t caller_take(struct caller *caller)
{
    if (caller == NULL || caller->told)
        return 0;
    caller->told = true;
    return caller->native_ns;
}

void callers_free(struct callers *callers)
{
    memo_free(&callers->by_way);
    map_free(&callers->by_function);
    map_free(&callers->finished);
}
