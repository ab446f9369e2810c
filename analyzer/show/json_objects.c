/* Objects in the JSON report: replicas of totals and lines, in exact integers alone; and findings. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "findings/finding.h"
#include "model/engines.h"
#include "model/share.h"
#include "show/json_parts.h"

static json_t *json_estimate(const struct objects *objects)
{
    struct objects_estimate estimate = objects_estimate(objects);
    if (!estimate.known)
        return json_null();
    return json_pack("{s:o,s:[o,o]}", "objects", json_count(estimate.replicas), "ci95", json_count(estimate.low),
                     json_count(estimate.high));
}

/* How many results there were, where only a part of the births says so; null where it is known. */
static json_t *json_results_interval(const struct objects *objects)
{
    if (objects->results_variance <= 0)
        return json_null();
    return json_pack("[o,o]", json_count((uint64_t)floor(objects_results_low(objects))),
                     json_count((uint64_t)ceil(objects_results_high(objects))));
}

json_t *json_objects(const struct model *model, const struct objects *objects)
{
    const char *why_off;
    if (!engine_ran(model->run, DB_ENGINE_REPLICA, &why_off))
        return json_null();
    json_t *object = json_object();
    json_put_count(object, "objects", objects->replicas);
    json_put_count(object, "bytes", objects->replica_bytes);
    json_put_count(object, "of_objects", objects_results(objects));
    json_object_set_new(object, "of_objects_ci95", json_results_interval(objects));
    json_put_count(object, "examined", objects->examined);
    json_object_set_new(object, "estimate", json_estimate(objects));
    json_put_count(object, "far_objects", objects->far_replicas);
    json_put_count(object, "far_examined", objects->far_examined);
    json_put_count(object, "elsewhere", objects->linked);
    json_put_count(object, "elsewhere_bytes", objects->linked_bytes);
    json_put_count(object, "copies", objects->copies);
    json_put_count(object, "constant", objects->constant);
    json_put_count(object, "constant_bytes", objects->constant_bytes);
    json_put_count(object, "zero", objects->zero);
    json_put_count(object, "workspaces", objects->workspaces);
    json_put_count(object, "workspace_bytes", objects->workspace_bytes);
    json_put_count(object, "unfilled", objects->unfilled);
    json_put_count(object, "live_at_end", objects->live_at_end);
    json_put_count(object, "skipped", objects->skipped);
    json_put_count(object, "sites", objects->sites);
    return object;
}

static json_t *json_finding_object(const struct finding_object *told)
{
    json_t *object = json_object();
    json_put_count(object, "size_bytes", told->size_bytes);
    json_put_count(object, "sizes", told->sizes);
    json_put_count(object, "made", told->made);
    json_put_count(object, "examined", told->examined);
    json_put_count(object, "equal", told->equal);
    json_object_set_new(object, "period", told->period > 0 ? json_count(told->period) : json_null());
    return object;
}

static void put_share(json_t *object, const struct finding *finding)
{
    struct estimate estimate = share_estimate_counts(finding->part, finding->whole, finding->undecided);
    double fraction = finding->whole > 0 ? (double)finding->part / (double)finding->whole : 0;
    json_object_set_new(object, "fraction", json_real(fraction));
    json_object_set_new(object, "ci95",
                        !finding->exact && !finding->looked_at_all && !finding->by_text && estimate.known
                            ? json_pack("[f,f]", estimate.low, estimate.high)
                            : json_null());
    json_object_set_new(object, "exact", json_boolean(finding->exact));
    json_object_set_new(object, "by_samples", json_boolean(finding->by_samples));
}

static json_t *json_first(struct model *model, const struct finding *finding)
{
    const struct site *site = finding->first;
    if (site == NULL)
        return json_null();
    return json_context(model, site->process, site->place != NULL ? site->place->line : NULL, site->record->node);
}

static json_t *json_second(struct model *model, const struct finding *finding)
{
    const struct site *site = finding->second;
    const struct line *line = site == NULL ? finding->line : site->place != NULL ? site->place->line : NULL;
    return json_context(model, finding_process(finding), line, finding_node(finding));
}

json_t *json_finding(struct model *model, const struct finding *finding, size_t rank)
{
    json_t *object = json_object();
    const struct line *line = finding->line;
    json_object_set_new(object, "id", json_string(finding->id));
    json_put_count(object, "rank", rank);
    json_object_set_new(object, "kind", json_string(finding->kind));
    json_object_set_new(object, "category", json_string(finding->category));
    json_object_set_new(object, "phase", json_phase(finding_phase(finding)));
    json_put_place(object, model, line, &finding->span);
    json_object_set_new(object, "waste_s", json_seconds(finding->waste_s));
    json_put_count(object, "waste_bytes", finding->waste_bytes);
    put_share(object, finding);
    json_object_set_new(object, "first", json_first(model, finding));
    json_object_set_new(object, "second", json_second(model, finding));
    json_object_set_new(object, "object",
                        finding->second != NULL ? json_finding_object(&finding->object) : json_null());
    json_object_set_new(object, "claim", json_text(finding->claim));
    json_object_set_new(object, "advice", json_text(finding->advice));
    return object;
}
