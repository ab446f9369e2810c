/* What a node inherits from the path above it, in one pass: parents come before their children. */
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "symbols/binary.h"

/* The program itself when it has no file: `python -c` or standard input. */
static bool is_program_text(struct model *model, struct process *process, const struct node *node,
                            const struct code *code)
{
    if (!code->pseudo)
        return false;
    if (node->user == 0)
        return code->file == process->program_text;
    const struct db_node *user = run_record(process->run, DB_KIND_NODE, node->user);
    const struct code *user_code = user != NULL ? model_code(model, process, (uint32_t)(user->value >> 32)) : NULL;
    return user_code != NULL && user_code->pseudo;
}

/*
 * Interned names instead of the code object's id: code made again, and other processes, stand on the same way. The place in
 * the source instead of the offset, where it is known to the column: CPython 3.11 makes the same call from one of two
 * instructions (PRECALL, CALL), before and after it has warmed up.
 */
static uint64_t way_step(struct model *model, struct process *process, uint64_t way, const struct db_node *record)
{
    struct code *code;
    struct line_span span = model_position(model, process, record, &code);
    if (code == NULL)
        return way;
    uint64_t at = span.column >= 0 ? (uint64_t)(uint32_t)span.column << 32 | (uint32_t)span.end_column
                                   : (uint64_t)1 << 63 | (uint32_t)record->value;
    at = hash_mix(at) + (uint64_t)(uint32_t)span.line;
    return hash_mix(way ^ hash_mix(at ^ hash_mix((uintptr_t)code->file) ^ hash_mix((uintptr_t)code->function + 1)));
}

/* The file of the innermost user frame; NULL without one. */
static const char *user_file(struct model *model, struct process *process, const struct node *node)
{
    const struct db_node *user = node->user != 0 ? run_record(process->run, DB_KIND_NODE, node->user) : NULL;
    const struct code *code = user != NULL ? model_code(model, process, (uint32_t)(user->value >> 32)) : NULL;
    return code != NULL ? code->file : NULL;
}

enum phase node_phase(const struct process *process, const struct node *node)
{
    if (node->phase.strength != PHASE_UNKNOWN)
        return node->phase.phase;
    return process->loads_data ? PHASE_DATA : PHASE_OTHER;
}

bool node_counts(const struct model *model, const struct process *process, const struct node *node)
{
    return !node->in_import && (model->phase == PHASE_COUNT || node_phase(process, node) == model->phase);
}

static void enter_python(struct model *model, struct process *process, const struct db_node *record, uint32_t id,
                         struct node *node)
{
    struct code *code = model_code(model, process, (uint32_t)(record->value >> 32));
    bool program_text = code != NULL && is_program_text(model, process, node, code);
    node->python = id;
    node->way = way_step(model, process, node->way, record);
    node->native_between = false;
    if (code == NULL)
        return;
    if (code->owner != OWNER_FOUNDATION && code->owner != OWNER_STDLIB)
        node->calling_frame = id;
    node->in_import |= code->import_machinery;
    node->imports_own =
        !code->import_machinery && (node->imports_own || (node->in_import && code->owner == OWNER_USER));
    phase_enter(&node->phase, code, user_file(model, process, node));
    process->loads_data |= phase_is_worker(code);
    if (code->owner == OWNER_USER || program_text) {
        node->user = id;
        node->package = NULL;
        node->package_frame = 0;
        node->line = NULL;
        return;
    }
    if (code->owner == OWNER_PACKAGE && node->package == NULL)
        node->package = code->package;
    if (code->owner == OWNER_PACKAGE && node->package == code->package)
        node->package_frame = id;
}

/* PyTorch's own threads for backward passes run no Python: the function their frames are called from tells. */
static bool is_backward_thread(const struct process *process, const struct db_module *module, uint64_t address)
{
    const char *path = modules_path(process->run, module);
    if (strstr(path, "/libtorch") == NULL)
        return false;
    struct binary *binary = binary_get(path, module->build_id, module->build_id_bytes);
    const char *symbol = binary_symbol(binary, address - module->load_bias);
    return symbol != NULL && strncmp(symbol, "_ZN5torch8autograd6Engine", 25) == 0;
}

/*
 * Sub-interpreters are run by an extension module of the standard library (3.8-3.12, and its name from 3.13 on). What it calls
 * is the interpreter at its own work, whose Python frames the sample may not show.
 */
static bool runs_interpreters(const struct process *process, const struct db_module *module)
{
    const char *path = modules_path(process->run, module), *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    return strncmp(name, "_xxsubinterpreters.", 19) == 0 || strncmp(name, "_interpreters.", 14) == 0;
}

static void enter_native(const struct process *process, const struct db_node *record, struct node *node)
{
    const struct db_module *module = node->module = modules_find(process, record->value);
    if (module == NULL ||
        ((module->flags & (DB_MODULE_INTERPRETER | DB_MODULE_SHIM)) == 0 && !runs_interpreters(process, module)))
        node->native_between = true;
    if (module != NULL && node->python == 0 && node->phase.strength == PHASE_UNKNOWN &&
        is_backward_thread(process, module, record->value - 1))
        node->phase = (struct phase_sign){.phase = PHASE_BACKWARD, .strength = PHASE_BY_LIBRARY};
}

static void enter_root(const struct db_node *record, struct node *node)
{
    uint32_t root = (uint32_t)record->value;
    node->worker = root == DB_ROOT_WORKER || root == DB_ROOT_ADOPTED;
    node->adopted = root == DB_ROOT_ADOPTED;
    node->started_by = (uint32_t)(record->value >> 32);
}

void nodes_resolve(struct model *model, struct process *process)
{
    const struct run_table *table = &process->run->tables[DB_KIND_NODE];
    struct run_cursor cursor = {0};
    process->nodes = memory_zeroed(run_capacity(table), sizeof(*process->nodes));
    process->program_text = program_text_file(model, process);
    phase_find_steps(model, process);
    for (const struct db_node *record; (record = run_next(table, &cursor)) != NULL;) {
        struct node *node = &process->nodes[cursor.index];
        if (record->parent != 0)
            *node = process->nodes[run_index(table, record->parent)];
        node->module = NULL;
        if (record->frame == DB_FRAME_ROOT)
            enter_root(record, node);
        else if (record->frame == DB_FRAME_PYTHON)
            enter_python(model, process, record, (uint32_t)cursor.id, node);
        else if (record->frame == DB_FRAME_NATIVE || record->frame == DB_FRAME_ACCESS)
            enter_native(process, record, node);
        if (node->line == NULL && node->user != 0)
            node->line = lines_get(model, process, node->user);
    }
}
