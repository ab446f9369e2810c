/* Objects in the JSON report: replicas of totals and lines, in exact integers alone; and findings. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "findings/finding.h"
#include "model/engines.h"
#include "model/share.h"
#include "show/json_parts.h"

/* Nothing was left out: the count is the number itself. Else what the examined ones say of all, with its interval. */
static json_t *json_estimate(const struct objects *objects)
{
    uint64_t results = objects->births - objects->workspaces - objects->unfilled;
    struct estimate estimate = share_estimate_counts(objects->replicas, objects->examined);
    if (objects->skipped == 0 || !estimate.known)
        return json_null();
    double all = (double)results;
    return json_pack("{s:o,s:[o,o]}", "objects", json_count((uint64_t)llround(estimate.fraction * all)), "ci95",
                     json_count((uint64_t)floor(estimate.low * all)), json_count((uint64_t)ceil(estimate.high * all)));
}

json_t *json_objects(const struct model *model, const struct objects *objects)
{
    const char *why_off;
    if (!engine_ran(model->run, DB_ENGINE_REPLICA, &why_off))
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "objects", json_count(objects->replicas));
    json_object_set_new(object, "bytes", json_count(objects->replica_bytes));
    json_object_set_new(object, "of_objects", json_count(objects->births - objects->workspaces - objects->unfilled));
    json_object_set_new(object, "examined", json_count(objects->examined));
    json_object_set_new(object, "estimate", json_estimate(objects));
    json_object_set_new(object, "elsewhere", json_count(objects->linked));
    json_object_set_new(object, "elsewhere_bytes", json_count(objects->linked_bytes));
    json_object_set_new(object, "copies", json_count(objects->copies));
    json_object_set_new(object, "constant", json_count(objects->constant));
    json_object_set_new(object, "constant_bytes", json_count(objects->constant_bytes));
    json_object_set_new(object, "zero", json_count(objects->zero));
    json_object_set_new(object, "workspaces", json_count(objects->workspaces));
    json_object_set_new(object, "workspace_bytes", json_count(objects->workspace_bytes));
    json_object_set_new(object, "unfilled", json_count(objects->unfilled));
    json_object_set_new(object, "live_at_end", json_count(objects->live_at_end));
    json_object_set_new(object, "skipped", json_count(objects->skipped));
    json_object_set_new(object, "sites", json_count(objects->sites));
    return object;
}

static json_t *json_finding_object(const struct finding_object *told)
{
    json_t *object = json_object();
    json_object_set_new(object, "size_bytes", json_count(told->size_bytes));
    json_object_set_new(object, "sizes", json_count(told->sizes));
    json_object_set_new(object, "made", json_count(told->made));
    json_object_set_new(object, "examined", json_count(told->examined));
    json_object_set_new(object, "equal", json_count(told->equal));
    json_object_set_new(object, "period", told->period > 0 ? json_count(told->period) : json_null());
    return object;
}

static void put_share(json_t *object, const struct finding *finding)
{
    struct estimate estimate = share_estimate_counts(finding->part, finding->whole);
    double fraction = finding->whole > 0 ? (double)finding->part / (double)finding->whole : 0;
    json_object_set_new(object, "fraction", json_real(fraction));
    json_object_set_new(object, "ci95",
                        !finding->exact && estimate.known ? json_pack("[f,f]", estimate.low, estimate.high)
                                                          : json_null());
    json_object_set_new(object, "exact", json_boolean(finding->exact));
}

static json_t *json_site(struct model *model, const struct site *site)
{
    return json_context(model, site->process, site->place != NULL ? site->place->line : NULL, site->record->node);
}

json_t *json_finding(struct model *model, const struct finding *finding, size_t rank)
{
    json_t *object = json_object();
    const struct line *line = finding->line;
    json_object_set_new(object, "id", json_string(finding->id));
    json_object_set_new(object, "rank", json_count(rank));
    json_object_set_new(object, "kind", json_string(finding->kind));
    json_object_set_new(object, "category", json_string(finding->category));
    json_put_place(object, model, line, &finding->span);
    json_object_set_new(object, "waste_s", json_seconds(finding->waste_s));
    json_object_set_new(object, "waste_bytes", json_count(finding->waste_bytes));
    put_share(object, finding);
    json_object_set_new(object, "first", json_site(model, finding->first));
    json_object_set_new(object, "second", json_site(model, finding->second));
    json_object_set_new(object, "object", json_finding_object(&finding->object));
    json_object_set_new(object, "claim", json_text(finding->claim));
    json_object_set_new(object, "advice", json_text(finding->advice));
    return object;
}
