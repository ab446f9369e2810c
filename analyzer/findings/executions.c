#include "findings/executions.h"

#include "findings/loop.h"

/* Once in each execution of its function? Asked of a site once: it reads the text. */
static bool is_once(struct model *model, struct site *site)
{
    struct loop_body body;
    if (site->once == ONCE_UNKNOWN) {
        uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
        bool is_looped =
            loop_is_comprehension(model, site->process, frame) || loop_of_frame(model, site->process, frame, &body);
        site->once = is_looped ? ONCE_NO : ONCE_YES;
    }
    return site->once == ONCE_YES;
}

uint64_t executions_of(struct model *model, const struct line *line, const struct process *process)
{
    uint64_t most = 0;
    for (size_t i = 0; i < model->line_total; i++) {
        const struct line *other = model->lines[i];
        if (other == line || other->file != line->file || other->function != line->function)
            continue;
        for (const struct place *place = other->places; place != NULL; place = place->next)
            for (struct site *site = place->sites; site != NULL; site = site->next) {
                uint64_t births = site->process == process && is_once(model, site) ? site->record->births : 0;
                most = births > most ? births : most;
            }
    }
    return most;
}
