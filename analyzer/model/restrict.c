/* The model of one phase: its figures are zeroed and charged again from the contexts of that phase alone. */
#include <stdlib.h>

#include "findings/finding.h"
#include "model/model.h"

static void zero_line(struct line *line)
{
    free(line->contents);
    line->contents = NULL;
    line->span_ns = line->worker_ns = line->carried_ns = 0;
    line->times = (struct times){0};
    line->objects = (struct objects){0};
    line->alive = (struct alive){0};
    line->idle = (struct line_idle){0};
    for (size_t i = 0; i < SHARE_KINDS; i++)
        line->shares[i] = (struct share){0};
    for (size_t i = 0; i < PHASE_COUNT; i++)
        line->phase_ns[i] = 0;
    for (size_t i = 0; i < DB_EVENTS_MAX; i++)
        line->events[i] = 0;
}

static void zero_run(struct model *model)
{
    pairs_free(model);
    lifetime_free(model);
    mixing_free(model);
    free(model->contents);
    model->contents = NULL;
    model->totals = (struct totals){0};
    model->accesses = 0;
    for (size_t i = 0; i < DB_EVENTS_MAX; i++)
        model->event_totals[i] = 0;
}

void model_restrict(struct model *model, enum phase phase)
{
    if (phase == PHASE_COUNT)
        return;
    model->phase = phase;
    for (size_t i = 0; i < model->line_total; i++)
        zero_line(model->lines[i]);
    zero_run(model);
    lines_charge(model);
    model_charge(model);
    findings_restrict(model);
    lines_sort(model);
}
