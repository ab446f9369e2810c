#include "findings/executions.h"

#include "findings/loop.h"

#include "findings/sites.h"

#define ODD_OF_BIRTHS 50u /* one in so many may be of executions that are not counted */

static bool stands_in_loop(struct model *model, const struct site *site)
{
    struct loop_body body;
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    return loop_is_comprehension(model, site->process, frame) || loop_of_frame(model, site->process, frame, &body);
}

/* Once in each execution of its function? Asked of a site once: it reads the text. */
static bool is_once(struct model *model, struct site *site)
{
    if (site->once == ONCE_UNKNOWN)
        site->once = stands_in_loop(model, site) ? ONCE_NO : ONCE_YES;
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

bool executions_make_period(struct model *model, const struct site *site)
{
    uint64_t period = site_period(site), births = site->record->births;
    if (period <= 1 || site->place == NULL || stands_in_loop(model, site))
        return false;
    uint64_t made = executions_of(model, site->place->line, site->process) * period;
    return made > 0 && (births > made ? births - made : made - births) <= births / ODD_OF_BIRTHS;
}
