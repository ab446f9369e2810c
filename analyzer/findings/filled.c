#include "findings/filled.h"

#include <string.h>

#include "findings/expression.h"

#define FRAMES_MAX 200

/* Of NumPy and PyTorch. The constructors of arrays and tensors give memory as it is, too. */
static const char *const unfilled[] = {
    "empty",      "empty_like",     "empty_strided", "empty_permuted", "new",           "new_empty",
    "ndarray",    "recarray",       "chararray",     "memmap",         "resize",        "resize_",
    "resize_as_", "Tensor",         "FloatTensor",   "DoubleTensor",   "HalfTensor",    "BFloat16Tensor",
    "LongTensor", "IntTensor",      "ShortTensor",   "CharTensor",     "ByteTensor",    "BoolTensor",
    "new_tensor", "UntypedStorage", "TypedStorage",  "set_",           "share_memory_", "new_empty_strided"};

static bool is_named(const struct operation *operation)
{
    return operation->kind == OPERATOR || operation->kind == OPERATION_SUBSCRIPT ||
           (operation->kind == OPERATION_CALL && operation->length_bytes > 0);
}

static bool gives_as_is(const struct operation *operation)
{
    for (size_t i = 0; operation->kind == OPERATION_CALL && i < sizeof(unfilled) / sizeof(unfilled[0]); i++)
        if (operation_is_named(operation, unfilled[i]))
            return true;
    return false;
}

/* ... or the interpreter's, through which calls go. Debian has PyTorch's libraries among the system's. */
static bool is_foundation_code(const struct process *process, uint64_t address)
{
    static const char *const parts[] = {"/torch/", "/numpy/", "/numpy.libs/", "/scipy/", "/libtorch", "/libc10."};
    const struct db_module *module = modules_find(process, address);
    const char *path = module != NULL ? modules_path(process->run, module) : "";
    if (module != NULL && (module->flags & DB_MODULE_INTERPRETER) != 0)
        return true;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strstr(path, parts[i]) != NULL)
            return true;
    return false;
}

bool call_fills(struct model *model, struct process *process, uint32_t node_id)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (unsigned i = 0; record != NULL && record->frame != DB_FRAME_PYTHON && i < FRAMES_MAX; i++) {
        if (record->frame != DB_FRAME_NATIVE || !is_foundation_code(process, record->value))
            return false;
        node_id = record->parent;
        record = run_record(process->run, DB_KIND_NODE, node_id);
    }
    if (record == NULL || record->frame != DB_FRAME_PYTHON)
        return false;
    struct operation operation = operation_at(model, process, node_id);
    return is_named(&operation) && !gives_as_is(&operation);
}

bool site_is_filled_in_package(struct model *model, const struct site *site)
{
    uint32_t frame = callers_frame(site->process, site->record->node);
    const struct db_node *record = run_record(site->process->run, DB_KIND_NODE, frame);
    const struct code *code = record != NULL ? model_code(model, site->process, (uint32_t)(record->value >> 32)) : NULL;
    struct operation operation = operation_at(model, site->process, frame);
    return code != NULL && code->owner == OWNER_PACKAGE && gives_as_is(&operation) &&
           frame != lines_frame_of_leaf(model, site->process, site->record->node);
}

bool frame_hands_out_blank(struct model *model, const struct site *site, uint32_t frame)
{
    struct process *process = site->process;
    struct operation inner = operation_at(model, process, callers_frame(process, site->record->node)),
                     outer = operation_at(model, process, frame);
    return outer.kind == OPERATION_CALL && inner.kind == OPERATION_CALL && !operations_differ(&inner, &outer);
}
