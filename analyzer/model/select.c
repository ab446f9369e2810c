#include "model/select.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#include "findings/finding.h"

static const char *const share_names[SHARE_KINDS] = {"redundant_load", "redundant_store", "dead_store"};

double model_percent(const struct model *model, double seconds)
{
    double total_s = (double)totals_run_ns(&model->totals) * 1e-9;
    return total_s > 0 ? 100 * seconds / total_s : 0;
}

/* Has the line waste of the kind asked for? Kinds that nothing measures yet match nothing. */
static bool kind_matches(const struct line *line, const char *kind)
{
    if (kind == NULL)
        return true;
    for (size_t i = 0; i < SHARE_KINDS; i++)
        if (strcmp(kind, share_names[i]) == 0)
            return line->shares[i].wasted > 0;
    if (strcmp(kind, "replica") == 0)
        return line->objects.replicas + line->objects.linked > 0;
    if (strcmp(kind, "constant") == 0)
        return line->objects.constant > 0;
    if (strcmp(kind, "idle") == 0)
        return line->idle.site != NULL;
    if (strcmp(kind, "tiny_calls") == 0)
        return line->element_samples > 0;
    return strcmp(kind, "churn") == 0 && line->objects.workspaces + line->alive.again > 0;
}

static bool file_matches(const char *file, const char *glob)
{
    const char *slash = strrchr(file, '/');
    return glob == NULL || fnmatch(glob, file, 0) == 0 || (slash != NULL && fnmatch(glob, slash + 1, 0) == 0);
}

static bool line_matches(const struct model *model, const struct line *line, const struct options *options)
{
    bool in_phase = model->phase == PHASE_COUNT || (line->phases >> model->phase & 1) != 0;
    return in_phase && kind_matches(line, options->kind) && file_matches(line->file, options->file_glob);
}

static bool pair_matches(const struct pair_group *group, const struct options *options)
{
    const struct line *charged = group->kind == SHARE_DEAD ? group->first : group->second;
    if (options->kind != NULL && strcmp(options->kind, share_names[group->kind]) != 0)
        return false;
    return charged != NULL ? file_matches(charged->file, options->file_glob) : options->file_glob == NULL;
}

/*
 * Of the run's time, or of the bytes at its peak. Counts of objects are exact, and hold whatever the time: what few samples say of that may
 * be chance, so a standard deviation is taken off.
 */
double select_finding_percent(const struct model *model, const struct finding *finding)
{
    const struct db_live *record = model->memory.record;
    bool leads = finding->call_leader == finding;
    double samples = (double)(leads ? finding->call_samples : finding->waste_samples);
    double least = samples > 0 ? 1 - 1 / sqrt(samples) : 1;
    if (!finding->by_memory || record == NULL)
        return model_percent(model, (leads ? finding->call_s : finding->waste_s) * least);
    return record->peak_bytes > 0 ? 100 * (double)finding->waste_bytes / (double)record->peak_bytes : 0;
}

static bool finding_matches(const struct model *model, const struct finding *finding, const struct options *options)
{
    return (options->kind == NULL || strcmp(options->kind, finding->kind) == 0) &&
           file_matches(finding->line->file, options->file_glob) &&
           select_finding_percent(model, finding) >= options->min_waste_percent;
}

static void select_findings(struct selection *selection, const struct model *model, const struct options *options,
                            size_t limit)
{
    selection->findings = memory_zeroed(model->finding_count, sizeof(struct finding *));
    for (size_t i = 0; i < model->finding_count; i++) {
        if (!finding_matches(model, model->findings[i], options))
            continue;
        selection->finding_matches++;
        if (selection->finding_count < limit)
            selection->findings[selection->finding_count++] = model->findings[i];
    }
}

/* Worth a place on the page, where the user has not asked for a number of lines. */
static bool line_counts(const struct model *model, const struct line *line, double percent)
{
    return line->wasteful || model_percent(model, (double)times_total(&line->times) * 1e-9) >= percent;
}

void selection_make(struct selection *selection, const struct model *model, const struct options *options,
                    const struct selection_limits *limits)
{
    bool asked = options->top != (size_t)-1;
    size_t top = !asked ? limits->lines : options->top == 0 ? (size_t)-1 : options->top;
    *selection = (struct selection){0};
    select_findings(selection, model, options, limits->findings == (size_t)-1 || !asked ? limits->findings : top);
    selection->lines = memory_zeroed(model->line_count, sizeof(struct line *));
    selection->pairs = memory_zeroed(model->pair_count, sizeof(struct pair_group *));
    for (size_t i = 0; i < model->line_count; i++) {
        if (!line_matches(model, model->lines[i], options))
            continue;
        selection->line_matches++;
        if (selection->line_count < top && (asked || line_counts(model, model->lines[i], limits->line_percent)))
            selection->lines[selection->line_count++] = model->lines[i];
    }
    for (size_t i = 0; i < model->pair_count && selection->pair_count < limits->pairs; i++)
        if (model->pairs[i]->count >= limits->pair_count && pair_matches(model->pairs[i], options))
            selection->pairs[selection->pair_count++] = model->pairs[i];
}

void selection_free(struct selection *selection)
{
    free(selection->findings);
    free(selection->lines);
    free(selection->pairs);
    *selection = (struct selection){0};
}
