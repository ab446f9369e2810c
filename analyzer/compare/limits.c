/* Limits that the user sets: on the run as it is, and on how much it may grow. */
#include <stdlib.h>

#include "base/memory.h"
#include "compare/judge.h"
#include "show/page.h"

/* A value of a metric for people; fresh memory. */
static char *say_value(enum gate_metric metric, double value)
{
    switch (gate_metric_unit(metric)) {
    case METRIC_BYTES:
        return page_bytes((uint64_t)value);
    case METRIC_SHARE:
        return page_percent(value);
    default:
        return page_count((uint64_t)(value + 0.5));
    }
}

/* What has most of the metric stands for it, where findings do: outputs want a place. */
static const struct profile_finding *heaviest(const struct profile *profile)
{
    const struct profile_finding *most = NULL;
    double bytes = -1;
    for (size_t i = 0; i < profile->finding_count; i++) {
        const struct profile_finding *finding = &profile->findings[i];
        if (!kind_is_exact(finding->kind) || finding->ignored != NULL || !finding_decides(profile, finding))
            continue;
        struct repeated repeated = line_repeated(finding_line(profile, finding), finding->kind, DECIDES_SHARE);
        most = repeated.bytes > bytes ? finding : most;
        bytes = repeated.bytes > bytes ? repeated.bytes : bytes;
    }
    return most;
}

static void add_limit(struct judgement *judgement, const struct profile *now, enum gate_metric metric, char *what)
{
    struct judged_item item = {.how = JUDGED_LIMIT, .profile = now, .kind = gate_metric_name(metric)};
    item.finding = gate_metric_unit(metric) == METRIC_SHARE ? NULL : heaviest(now);
    item.line = item.finding != NULL ? finding_line(now, item.finding) : NULL;
    judgement_add(judgement, item, what);
}

/* A share is above its limit when its whole interval is. */
static void judge_max(struct judgement *judgement, const struct profile *now, enum gate_metric metric, double limit)
{
    struct metric_value value = metric_of(now, metric);
    if (value.low <= limit)
        return;
    char *is = say_value(metric, value.value), *allowed = say_value(metric, limit);
    add_limit(judgement, now, metric, memory_print("%s is %s, allowed is %s.", gate_metric_name(metric), is, allowed));
    free(is);
    free(allowed);
}

static void judge_growth(struct judgement *judgement, const struct profile *now, const struct profile *base,
                         enum gate_metric metric, double percent)
{
    struct metric_value value = metric_of(now, metric), before = metric_of(base, metric);
    if (value.low <= before.high || value.value <= before.value * (1 + percent / 100))
        return;
    char *is = say_value(metric, value.value), *was = say_value(metric, before.value);
    add_limit(judgement, now, metric,
              memory_print("%s is %s, %s in the baseline; allowed is %.6g %% more.", gate_metric_name(metric), is, was,
                           percent));
    free(is);
    free(was);
}

/* A limit on findings counts those that the next run has as well; who set it is to know of the others. */
static void note_measured(struct judgement *judgement, const struct profile *now)
{
    size_t measured = 0;
    for (size_t i = 0; i < now->finding_count; i++)
        measured += kind_is_measured(now->findings[i].kind) && now->findings[i].ignored == NULL;
    if (measured > 0)
        judgement_note(judgement, memory_print("%zu finding%s not among those that the limit counts: what %s sampled, "
                                               "which differs from run to run. The report lists %s; with --baseline a "
                                               "new one fails",
                                               measured, measured == 1 ? " is" : "s are",
                                               measured == 1 ? "it rests on was" : "they rest on was",
                                               measured == 1 ? "it" : "them"));
}

void judge_limits(struct judgement *judgement, const struct profile *now, const struct profile *base,
                  const struct gate_options *options)
{
    for (enum gate_metric metric = 0; metric < GATE_METRIC_COUNT; metric++) {
        if (options->limits[metric] >= 0)
            judge_max(judgement, now, metric, options->limits[metric]);
        if (options->limits[metric] >= 0 && metric == GATE_FINDINGS && base == NULL)
            note_measured(judgement, now);
        if (options->increases[metric] >= 0 && base != NULL)
            judge_growth(judgement, now, base, metric, options->increases[metric]);
    }
}
