#include "findings/changed_later.h"

#include "findings/statement.h"
#include "model/source.h"
#include "python/suite.h"

/*
 * Had the frame left its statement before the change? Within it NumPy computes "a @ b * 2 + c" in the memory of its first step, which
 * nothing else holds, and "a.exp().add_(b)" changes what it has just made.
 */
static bool has_left_statement(struct model *model, struct process *process, uint32_t node_id, int32_t offset)
{
    const struct db_node *made = run_record(process->run, DB_KIND_NODE, node_id);
    struct db_node before = *made;
    struct code *code = NULL;
    int32_t first = 0, last = 0;
    if (offset == DB_OFFSET_CALLED || offset == DB_OFFSET_UNKNOWN)
        return offset == DB_OFFSET_CALLED;
    before.value = (made->value & ~(uint64_t)UINT32_MAX) | (uint32_t)offset;
    struct line_span at = model_position(model, process, &before, &code),
                     own = model_position(model, process, made, &code);
    const struct db_code *record = run_record(process->run, DB_KIND_CODE, (uint32_t)(made->value >> 32));
    if (code == NULL || record == NULL || at.line <= 0 || own.line <= 0)
        return false;
    if (!suite_rows(source_code(model, code->file), record->first_line, own.line, &first, &last))
        first = last = own.line;
    return at.line < first || at.line > last;
}

/* The outermost of so many Python frames, leaf first, if the line's is one of them; else, and where there are fewer, 0. */
static uint32_t frame_beyond(struct model *model, const struct site *site, uint32_t count)
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

bool site_changed_later(struct model *model, const struct site *site)
{
    uint32_t frame = frame_beyond(model, site, site->record->changed_beyond);
    return frame != 0 && has_left_statement(model, site->process, frame, site->record->changed_offset);
}

bool site_is_overwritten_below(struct model *model, const struct site *site)
{
    uint32_t beyond = site->record->unlike >> DB_OVERWRITTEN_SHIFT;
    return beyond > 0 && frame_beyond(model, site, beyond) == 0;
}

bool site_is_overwritten_within(struct model *model, const struct site *site)
{
    uint32_t beyond = site->record->unlike >> DB_OVERWRITTEN_SHIFT,
             frame = beyond > 0 ? frame_beyond(model, site, beyond) : 0;
    return beyond > 0 && (frame == 0 || frame == lines_frame_of_leaf(model, site->process, site->record->node));
}

bool changed_later(struct model *model, const struct line *line)
{
    for (const struct place *place = line->places; place != NULL; place = place->next)
        for (const struct site *site = place->sites; site != NULL; site = site->next)
            if (site->record->replicas + site->record->constant > 0 && site_changed_later(model, site))
                return true;
    return false;
}
