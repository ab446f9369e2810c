#include "model/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/path.h"
#include "symbols/binary.h"

#define CONTEXT_NODES_MAX 200

static void context_add(struct context *context, struct frame frame)
{
    context->frames = memory_grow(context->frames, context->count, &context->capacity, sizeof(*context->frames));
    context->frames[context->count++] = frame;
}

/* Functions at one address: the inlined ones follow the function that holds them. */
static void add_native(struct context *context, struct process *process, const struct db_node *record, bool leaf)
{
    uint64_t address = record->value - (leaf ? 0 : 1); /* a caller's is where it goes on: the call lies before */
    const struct db_module *module = modules_find(process, address);
    struct frame frame = {.kind = FRAME_NATIVE, .address = record->value};
    struct binary_place place;
    if (module != NULL && (module->flags & DB_MODULE_SHIM) != 0)
        return; /* it stands in front of a function of the program's, which comes next */
    if (module == NULL) {
        context_add(context, frame);
        return;
    }
    const char *path = modules_path(process->run, module);
    struct binary *binary = binary_get(path, module->build_id, module->build_id_bytes);
    binary_find(binary, address - module->load_bias, &place);
    frame.library = path_base_name(path);
    frame.trouble = binary_trouble(binary);
    frame.address = record->value - module->load_bias;
    frame.interpreter = (module->flags & DB_MODULE_INTERPRETER) != 0;
    for (size_t i = place.count; i > 0; i--) {
        frame.function = place.functions[i - 1].name;
        frame.file = place.functions[i - 1].file;
        frame.line = place.functions[i - 1].line;
        frame.inlined = i < place.count;
        context_add(context, frame);
    }
    if (place.count == 0)
        context_add(context, frame);
}

static void add_python(struct context *context, struct model *model, struct process *process,
                       const struct db_node *record)
{
    struct code *code;
    struct line_span span = model_position(model, process, record, &code);
    if (code == NULL)
        return;
    context_add(context, (struct frame){.kind = FRAME_PYTHON,
                                        .file = code->file,
                                        .line = span.line,
                                        .function = code->function,
                                        .owner = code->owner});
}

static void expand(struct context *context, struct model *model, struct process *process, uint32_t node_id,
                   bool natives)
{
    static const char *const threads[] = {"main thread", "thread", "native thread", "worker", "worker"};
    const struct db_node *path[CONTEXT_NODES_MAX] = {NULL};
    size_t count = 0;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    *context = (struct context){.thread = "thread"};
    for (; record != NULL && count < CONTEXT_NODES_MAX; record = run_record(process->run, DB_KIND_NODE, record->parent))
        path[count++] = record;
    for (size_t i = count; i > 0; i--) {
        record = path[i - 1];
        if (record->frame == DB_FRAME_ROOT)
            context->thread = threads[(uint32_t)record->value];
        else if (record->frame == DB_FRAME_PYTHON)
            add_python(context, model, process, record);
        else if (!natives)
            continue;
        else if (record->frame == DB_FRAME_GAP)
            context_add(context, (struct frame){.kind = FRAME_GAP});
        else
            add_native(context, process, record, i == 1);
    }
}

void context_expand(struct context *context, struct model *model, struct process *process, uint32_t node_id)
{
    expand(context, model, process, node_id, true);
}

void context_expand_python(struct context *context, struct model *model, struct process *process, uint32_t node_id)
{
    expand(context, model, process, node_id, false);
}

void context_free(struct context *context)
{
    free(context->frames);
    *context = (struct context){0};
}
