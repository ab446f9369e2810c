#include "show/json.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/text.h"
#include "model/processes.h"
#include "model/share.h"
#include "show/json_parts.h"

static const char *const scope_names[] = {"?", "within", "across", "unknown"};
static const char *const relation_names[] = {"?", "same", "recycled", "unknown"};
static const char *const verdict_names[SHARE_KINDS] = {"redundant_load", "redundant_store", "dead_store"};

static void json_put_estimate(json_t *object, struct estimate estimate, uint64_t pairs)
{
    json_object_set_new(object, "fraction", estimate.known ? json_real(estimate.fraction) : json_null());
    json_object_set_new(object, "ci95", estimate.known ? json_pack("[f,f]", estimate.low, estimate.high) : json_null());
    json_object_set_new(object, "pairs", json_count(pairs));
}

json_t *json_share(const struct share *share)
{
    json_t *object = json_object(), *across = json_object();
    json_put_estimate(object, share_estimate(share), share->pairs);
    json_put_estimate(across, share_estimate_across(share), share->across_pairs);
    json_object_set_new(object, "zero", json_count(share->zero));
    json_object_set_new(object, "recycled", json_count(share->recycled));
    json_object_set_new(object, "unproved", json_count(share->unproved));
    json_object_set_new(object, "across", across);
    return object;
}

static json_t *json_pair_object(const struct pair_group *group)
{
    const struct site *site = objects_site_of_pair(group->process, group->example);
    if (site == NULL)
        return json_null();
    json_t *object = json_object();
    json_put_count(object, "size_bytes", site->record->size_bytes);
    json_object_set_new(object, "file", json_text(site->place->line->file));
    json_object_set_new(object, "line", json_integer(site->place->line->number));
    json_object_set_new(object, "function", json_text(site->place->line->function));
    return object;
}

static json_t *json_pair(struct model *model, const struct pair_group *group)
{
    json_t *object = json_object();
    json_object_set_new(object, "verdict", json_string(verdict_names[group->kind]));
    json_object_set_new(object, "scope", json_string(scope_names[group->scope]));
    json_object_set_new(object, "relation", json_string(relation_names[group->relation]));
    json_object_set_new(object, "phase", json_phase(group->phase));
    json_object_set_new(object, "count", json_count(group->count));
    json_object_set_new(object, "unproved", json_count(group->unproved));
    json_object_set_new(object, "zero", json_count(group->zero));
    json_object_set_new(object, "weight_s", json_seconds((double)group->weight_ns * 1e-9));
    json_object_set_new(object, "size_bytes", json_count(group->example->size_bytes));
    json_object_set_new(object, "object", json_pair_object(group));
    json_object_set_new(object, "first", json_context(model, group->process, group->first, group->example->first_node));
    json_object_set_new(object, "second",
                        json_context(model, group->process, group->second, group->example->second_node));
    return object;
}

/* Hardware events by name; empty when none were counted. */
static json_t *json_events(const struct model *model, const double *values)
{
    json_t *object = json_object();
    for (size_t i = 0; i < DB_EVENTS_MAX && model->event_names[i] != NULL; i++) {
        char *name = text_valid(model->event_names[i], strlen(model->event_names[i]));
        json_object_set_new(object, name, json_real(values[i]));
        free(name);
    }
    return object;
}

static json_t *json_line(struct model *model, const struct line *line)
{
    json_t *object = json_object();
    json_put_place(object, model, line, &line->span);
    json_object_set_new(object, "own", json_boolean(line->own));
    json_object_set_new(object, "time_s", json_seconds((double)times_total(&line->times) * 1e-9));
    json_object_set_new(object, "python_s", json_seconds((double)line->times.ns[TIME_PYTHON] * 1e-9));
    json_object_set_new(object, "native_s", json_seconds((double)line->times.ns[TIME_NATIVE] * 1e-9));
    json_object_set_new(object, "boundary_s", json_seconds((double)line->times.ns[TIME_BOUNDARY] * 1e-9));
    json_object_set_new(object, "worker_s", json_seconds((double)line->worker_ns * 1e-9));
    json_object_set_new(object, "phases", json_line_phases(line));
    json_object_set_new(object, "samples", json_count(line->times.samples));
    json_object_set_new(object, "waste_s", json_seconds(line->waste_s));
    json_object_set_new(object, "redundant_loads", json_share(&line->shares[SHARE_LOADS]));
    json_object_set_new(object, "redundant_stores", json_share(&line->shares[SHARE_STORES]));
    json_object_set_new(object, "dead_stores", json_share(&line->shares[SHARE_DEAD]));
    json_object_set_new(object, "events", json_events(model, line->events));
    json_object_set_new(object, "replicas", json_objects(model, &line->objects));
    json_object_set_new(object, "memory", json_line_memory(model, line));
    json_object_set_new(object, "content", json_contents(line->contents));
    json_object_set_new(object, "transfers", json_null());
    return object;
}

static json_t *json_workers(const struct totals *totals)
{
    json_t *object = json_object();
    json_object_set_new(object, "at_lines_s", json_seconds((double)totals->worker_ns * 1e-9));
    json_object_set_new(object, "adopted_s", json_seconds((double)totals->adopted_ns * 1e-9));
    json_object_set_new(object, "waiting_s", json_seconds((double)totals->waiting_ns * 1e-9));
    return object;
}

static json_t *json_totals(const struct model *model)
{
    const struct totals *totals = &model->totals;
    json_t *object = json_object(), *time = json_object();
    json_object_set_new(time, "total", json_seconds((double)times_total(&totals->times) * 1e-9));
    json_object_set_new(time, "python", json_seconds((double)totals->times.ns[TIME_PYTHON] * 1e-9));
    json_object_set_new(time, "native", json_seconds((double)totals->times.ns[TIME_NATIVE] * 1e-9));
    json_object_set_new(time, "boundary", json_seconds((double)totals->times.ns[TIME_BOUNDARY] * 1e-9));
    json_object_set_new(object, "time_s", time);
    json_object_set_new(object, "phases", json_phases(model));
    json_object_set_new(object, "import_s", json_seconds((double)totals->import_ns * 1e-9));
    json_object_set_new(object, "elsewhere_s", json_seconds((double)totals->elsewhere_ns * 1e-9));
    json_object_set_new(object, "workers", json_workers(totals));
    json_object_set_new(object, "unplaced_s", json_seconds((double)totals->unplaced_ns * 1e-9));
    json_object_set_new(object, "redundant_loads", json_share(&totals->shares[SHARE_LOADS]));
    json_object_set_new(object, "redundant_stores", json_share(&totals->shares[SHARE_STORES]));
    json_object_set_new(object, "dead_stores", json_share(&totals->shares[SHARE_DEAD]));
    json_object_set_new(object, "events", json_events(model, model->event_totals));
    json_object_set_new(object, "other_pairs", json_count(totals->other_pairs));
    json_object_set_new(object, "replicas", json_objects(model, &totals->objects));
    json_object_set_new(object, "memory", json_memory(model));
    json_object_set_new(object, "pages", json_mixing(model));
    json_object_set_new(object, "content", json_contents(model->contents));
    json_object_set_new(object, "transfers", json_null());
    return object;
}

bool json_show(FILE *out, struct model *model, const struct selection *selection)
{
    json_t *root = json_object(), *lines = json_array(), *pairs = json_array(), *findings = json_array();
    for (size_t i = 0; i < selection->line_count; i++)
        json_array_append_new(lines, json_line(model, selection->lines[i]));
    for (size_t i = 0; i < selection->pair_count; i++)
        json_array_append_new(pairs, json_pair(model, selection->pairs[i]));
    for (size_t i = 0; i < selection->finding_count; i++)
        json_array_append_new(findings, json_finding(model, selection->findings[i], i + 1));
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "phase", json_phase_asked(model->phase));
    json_object_set_new(root, "run", json_run(model));
    json_object_set_new(root, "totals", json_totals(model));
    json_object_set_new(root, "lines", lines);
    json_object_set_new(root, "pairs", pairs);
    json_object_set_new(root, "findings", findings);
    return json_print(out, root, JSON_INDENT(2)) && fputc('\n', out) != EOF;
}
