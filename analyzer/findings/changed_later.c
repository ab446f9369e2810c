#include "findings/changed_later.h"

#include "findings/beyond.h"
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

bool site_changed_later(struct model *model, const struct site *site)
{
    uint32_t frame = beyond_frame(model, site, site->record->changed_beyond);
    return frame != 0 && has_left_statement(model, site->process, frame, site->record->changed_offset);
}

bool changed_later(struct model *model, const struct line *line)
{
    for (const struct place *place = line->places; place != NULL; place = place->next)
        for (const struct site *site = place->sites; site != NULL; site = site->next)
            if (site->record->replicas + site->record->constant > 0 && site_changed_later(model, site))
                return true;
    return false;
}
