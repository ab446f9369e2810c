#include "findings/unfinished.h"

#include "findings/blank.h"
#include "findings/changed.h"
#include "findings/expression.h"
#include "findings/filled.h"
#include "model/source.h"
#include "python/steady.h"

bool site_is_read_unfinished(struct model *model, const struct site *site)
{
    struct process *process = site->process;
    uint32_t frame = lines_frame_of_leaf(model, process, site->record->node);
    struct changed changed;
    struct code *code = NULL;
    struct word value;
    if ((site->record->unlike & DB_UNLIKE_BEGINNING) != 0 && !site_is_filled_in_package(model, site) &&
        !site_is_made_unfilled(model, site))
        return true;
    changed_find(&changed, model, process, frame);
    if (!changed.read_before)
        return false;
    value.text = operation_text(model, process, frame, &value.length_bytes);
    model_position(model, process, run_record(process->run, DB_KIND_NODE, frame), &code);
    return value.text == NULL || code == NULL || !steady_expression(source_code(model, code->file), value);
}
