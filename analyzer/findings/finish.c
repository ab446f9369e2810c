#include "findings/finish.h"

#include <math.h>
#include <string.h>

#include "findings/sites.h"

static double own_seconds(const struct line *line)
{
    return (double)times_total(&line->times) * 1e-9;
}

/* Are what is made at the place, of one size at least, mostly equal to what was made before? */
static bool is_made_again(const struct place *place)
{
    for (const struct site *site = place->sites; site != NULL; site = site->next)
        if (site->record->examined > 0 &&
            (double)site->record->replicas + (double)site->linked >= (double)site->record->examined / 2)
            return true;
    return false;
}

void finish_find(struct model *model, const struct finding *finding, struct changed *changed)
{
    const struct site *second = finding->second;
    changed_find(changed, model, second->process, lines_frame_of_leaf(model, second->process, second->record->node));
    for (const struct place *place = finding->line->places; place != NULL; place = place->next) {
        const struct site *site = place->sites;
        if (changed->count > 0 || changed->handed.length_bytes > 0)
            return;
        if (site != second && is_made_again(place))
            changed_find(changed, model, site->process, lines_frame_of_leaf(model, site->process, site->record->node));
    }
}

static bool is_among(const struct line *line, const struct changed *changed)
{
    for (size_t i = 0; i < changed->count; i++)
        if (line->number == changed->lines[i] && strcmp(line->file, changed->file) == 0)
            return true;
    return false;
}

double finish_seconds(const struct model *model, const struct changed *changed)
{
    double seconds = 0;
    for (size_t i = 0; i < model->line_total; i++)
        if (is_among(model->lines[i], changed))
            seconds += own_seconds(model->lines[i]);
    return seconds;
}

/* Does the line make other results as well, at places that no claim holds of? */
static bool makes_others(const struct line *line)
{
    for (const struct place *place = line->places; place != NULL; place = place->next)
        for (const struct site *site = place->sites; site != NULL && !place->claimed; site = site->next)
            if (site_new(site) > 1)
                return true;
    return false;
}

static double equal_share(const struct finding *finding)
{
    return finding->whole > 0 ? (double)finding->part / (double)finding->whole : 0;
}

static void add_to(struct model *model, struct finding *finding)
{
    struct changed changed;
    finish_find(model, finding, &changed);
    for (size_t i = 0; changed.count > 0 && i < model->line_total; i++) {
        struct line *line = model->lines[i];
        if (line == finding->line || line->finishes != NULL || !is_among(line, &changed))
            continue;
        line->finishes = finding->line;
        finding->beside_s += own_seconds(line) * equal_share(finding);
        finding->waste_samples += line->times.samples;
    }
    finding->waste_s += finding->beside_s;
}

void finish_add(struct model *model)
{
    for (size_t i = 0; i < model->finding_count; i++) {
        struct finding *finding = model->findings[i];
        if (strcmp(finding->kind, "replica") == 0 && finding->second != NULL && !finding->part_of_call &&
            !makes_others(finding->line))
            add_to(model, finding);
    }
}

void finish_charge(struct model *model, const struct finding *finding)
{
    for (size_t i = 0; finding->beside_s > 0 && i < model->line_total; i++) {
        struct line *line = model->lines[i];
        if (line->finishes == finding->line)
            line->computed_again_s = fmax(line->computed_again_s, own_seconds(line) * equal_share(finding));
    }
}
