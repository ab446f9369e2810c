#include "findings/libraries.h"

#include <string.h>

#include "model/path.h"

#define FRAMES_MAX 200
#define RESERVE_MIN_BYTES (UINT64_C(1) << 20) /* results of matrix products are made by who calls OpenBLAS */

/* Without the names of functions, which take long to find. */
static bool is_in(const struct process *process, uint64_t address, const char *part)
{
    const struct db_module *module = modules_find(process, address);
    return module != NULL && (module->flags & DB_MODULE_SHIM) == 0 &&
           strstr(path_base_name(modules_path(process->run, module)), part) != NULL;
}

bool site_is_made_in(const struct site *site, const char *part)
{
    const struct process *process = site->process;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, site->record->node);
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        bool is_native = record->frame == DB_FRAME_NATIVE || record->frame == DB_FRAME_ACCESS;
        if (!is_native)
            return false;
        if (is_in(process, record->value - (i > 0), part)) /* a caller's is where it goes on */
            return true;
        record = run_record(process->run, DB_KIND_NODE, record->parent);
    }
    return false;
}

bool site_is_reserve(const struct site *site)
{
    return site->record->size_bytes >= RESERVE_MIN_BYTES && site_is_made_in(site, "openblas");
}

bool site_is_part_filled(const struct site *site)
{
    return site_is_made_in(site, "hashtable.") || site_is_made_in(site, "array.cpython");
}

bool site_is_made_by_pandas(struct model *model, const struct site *site)
{
    struct code *code = NULL;
    const struct db_node *record = run_record(site->process->run, DB_KIND_NODE, site->python);
    if (record != NULL)
        model_position(model, site->process, record, &code);
    return code != NULL && strstr(code->file, "/pandas/") != NULL;
}

bool site_is_called_by_line(struct model *model, const struct site *site)
{
    return callers_frame(site->process, site->record->node) ==
           lines_frame_of_leaf(model, site->process, site->record->node);
}
