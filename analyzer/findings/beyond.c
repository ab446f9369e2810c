#include "findings/beyond.h"

uint32_t beyond_frame(struct model *model, const struct site *site, uint32_t count)
{
    const struct process *process = site->process;
    uint32_t line = lines_frame_of_leaf(model, process, site->record->node), frame = 0;
    bool reached = false;
    for (uint32_t id = site->record->node; id != 0 && count > 0;) {
        const struct db_node *record = run_record(process->run, DB_KIND_NODE, id);
        if (record == NULL)
            return 0;
        if (record->frame == DB_FRAME_PYTHON) {
            frame = id;
            reached |= id == line;
            count--;
        }
        id = record->parent;
    }
    return reached && count == 0 ? frame : 0;
}
