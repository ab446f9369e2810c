/* How much of a line's objects was made again, and what the run's metrics are. */
#include <math.h>

#include "compare/judge.h"
#include "findings/finding.h"
#include "model/share.h"

#define DECIDES_BYTES 0x1p20
#define DECIDES_PART 0.01
#define KNOWN_SHARE 0.01 /* of those examined: what repeats less often did so by chance */
#define FOUND_SHARE 0.8  /* what was a finding in another run, give or take what varies */

static uint64_t of_kind(const struct profile_group *group, const char *kind)
{
    return strcmp(kind, "constant") == 0 ? group->constant : group->replicas + group->linked;
}

struct repeated line_repeated(const struct profile_line *line, const char *kind, double least)
{
    struct repeated repeated = {0};
    bool constant = strcmp(kind, "constant") == 0;
    for (size_t i = 0; i < line->group_count; i++) {
        const struct profile_group *group = &line->groups[i];
        uint64_t equal = of_kind(group, kind);
        if (equal == 0 || (double)equal < least * (double)group->examined)
            continue;
        profile_add(&repeated.births, group->results);
        repeated.objects += (double)equal / (double)group->examined * (double)group->results;
        repeated.own += (double)group->replicas / (double)group->examined * (double)group->results;
        repeated.about = repeated.about || group->examined < group->results;
        repeated.bytes += (double)(constant ? group->constant_bytes : group->again_bytes);
    }
    return repeated;
}

/* Does another place's result explain it? No plateau does that: the code must have made it there as well. */
static bool is_elsewhere(const struct profile_finding *finding)
{
    return strcmp(finding->category, FINDING_REPEATED_CALL) == 0;
}

struct alike {
    uint64_t objects; /* of those examined */
    double bytes;     /* of as large a part of all results */
};

/* Objects of a baseline's place that are like what the finding tells of: by chance or by data, the same code made them. */
static struct alike alike(const struct profile_group *group, const struct profile_finding *finding, bool same_text)
{
    struct alike again = {group->replicas + group->linked, (double)group->again_bytes}, none = {0};
    struct alike constant = {group->constant, (double)group->constant_bytes};
    struct alike both = {again.objects + constant.objects, again.bytes + constant.bytes};
    if (is_elsewhere(finding) && (double)group->linked < KNOWN_SHARE * (double)group->examined)
        return (double)again.objects < FOUND_SHARE * (double)group->examined ? none : again;
    if (same_text)
        return both;
    return strcmp(finding->kind, "constant") == 0 ? constant : again;
}

struct repeated line_repeated_before(const struct profile_line *line, const struct profile_finding *finding,
                                     bool same_text)
{
    struct repeated repeated = {0};
    for (size_t i = 0; i < line->group_count; i++) {
        const struct profile_group *group = &line->groups[i];
        struct alike equal = alike(group, finding, same_text);
        if (group->examined == 0 && group->results > 0)
            profile_add(&repeated.unseen, group->results);
        if (equal.objects == 0 || (double)equal.objects < KNOWN_SHARE * (double)group->examined)
            continue;
        double share = (double)equal.objects / (double)group->examined, result_bytes = equal.bytes / share;
        profile_add(&repeated.births, group->results);
        repeated.plateau = repeated.plateau || share < DECIDES_SHARE;
        repeated.objects += share * (double)group->results;
        repeated.bytes += equal.bytes;
        repeated.most_bytes += share < DECIDES_SHARE ? result_bytes : equal.bytes;
        if (share < DECIDES_SHARE) {
            repeated.plateau_bytes_each = fmax(repeated.plateau_bytes_each, result_bytes / (double)group->results);
            continue;
        }
        if ((double)of_kind(group, finding->kind) < DECIDES_SHARE * (double)group->examined)
            continue; /* what the finding counts in the other run, either */
        profile_add(&repeated.firm_births, group->results);
        repeated.firm_bytes += equal.bytes;
    }
    return repeated;
}

bool finding_decides(const struct profile *profile, const struct profile_finding *finding)
{
    struct repeated repeated = line_repeated(finding_line(profile, finding), finding->kind, DECIDES_SHARE);
    return repeated.bytes >= DECIDES_BYTES ||
           (repeated.bytes > 0 && repeated.bytes >= DECIDES_PART * (double)profile->object_bytes);
}

/* Over findings that decide and that no comment ignores, each line once. */
static struct metric_value sum_findings(const struct profile *profile, enum gate_metric metric)
{
    struct metric_value sum = {.known = true};
    const struct profile_line *last = NULL;
    for (size_t i = 0; i < profile->finding_count; i++) {
        const struct profile_finding *finding = &profile->findings[i];
        const struct profile_line *line = finding_line(profile, finding);
        bool transfer = strcmp(finding->kind, "transfer") == 0;
        if (!kind_is_exact(finding->kind) || finding->ignored != NULL || !finding_decides(profile, finding))
            continue;
        struct repeated repeated = line_repeated(line, finding->kind, DECIDES_SHARE);
        if (metric == GATE_FINDINGS)
            sum.value++;
        else if (!transfer && line != last)
            sum.value += metric == GATE_REPLICAS ? repeated.bytes : repeated.objects;
        last = line;
    }
    sum.low = sum.high = sum.value;
    return sum;
}

static struct metric_value of_share(const struct share *share)
{
    struct estimate estimate = share_estimate(share);
    return (struct metric_value){.known = estimate.known,
                                 .value = 100 * estimate.fraction,
                                 .low = 100 * estimate.low,
                                 .high = 100 * estimate.high};
}

struct metric_value metric_of(const struct profile *profile, enum gate_metric metric)
{
    switch (metric) {
    case GATE_DEAD_STORES:
        return of_share(&profile->dead);
    case GATE_REDUNDANT_STORES:
        return of_share(&profile->stores);
    case GATE_TRANSFERS:
        return (struct metric_value){0}; /* the engine records nothing yet: refuse.c says so */
    default:
        return sum_findings(profile, metric);
    }
}
