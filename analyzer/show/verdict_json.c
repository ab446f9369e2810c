/* The verdict as JSON, for SARIF and for GitLab's code quality. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/memory.h"
#include "pieprof/version.h"
#include "show/json_parts.h"
#include "show/verdict.h"

static bool dump(FILE *out, json_t *root)
{
    return json_print(out, root, JSON_INDENT(2)) && fputc('\n', out) != EOF;
}

static json_t *json_columns(const struct profile_line *line)
{
    if (line->column < 0 || line->end_column <= line->column)
        return json_null();
    return json_pack("[i,i]", line->column, line->end_column);
}

static json_t *json_item(const struct judged_item *item)
{
    json_t *object = json_object();
    const struct profile_finding *finding = item->finding;
    const struct profile_line *line = item->line;
    json_object_set_new(object, "verdict", json_string(judged_name(item->how)));
    json_object_set_new(object, "fails", json_boolean(judged_fails(item->how)));
    json_object_set_new(object, "kind", json_text(item->kind));
    json_object_set_new(object, "id", json_text(finding != NULL ? finding->id : NULL));
    json_object_set_new(object, "category", json_text(finding != NULL ? finding->category : NULL));
    json_object_set_new(object, "phase", json_phase_asked(item_phase(item)));
    json_object_set_new(object, "path", json_text(line != NULL ? item_path(item) : NULL));
    json_object_set_new(object, "line", line != NULL ? json_integer(line->number) : json_null());
    json_object_set_new(object, "columns", line != NULL ? json_columns(line) : json_null());
    json_object_set_new(object, "function", json_text(line != NULL ? line->function : NULL));
    json_object_set_new(object, "text", json_text(line != NULL ? line->text : NULL));
    json_object_set_new(object, "claim", json_text(finding != NULL ? finding->claim : NULL));
    json_object_set_new(object, "why", json_text(item->what));
    json_object_set_new(object, "advice", json_text(finding != NULL ? finding->advice : NULL));
    json_object_set_new(object, "way", json_text(finding != NULL ? finding->way : NULL));
    return object;
}

bool verdict_show_json(FILE *out, const struct verdict *verdict)
{
    const struct judgement *judgement = verdict->judgement;
    json_t *root = json_object(), *items = json_array(), *notes = json_array(), *counts = json_object();
    for (size_t i = 0; i < judgement->item_count; i++)
        json_array_append_new(items, json_item(&judgement->items[i]));
    for (size_t i = 0; i < judgement->note_count; i++)
        json_array_append_new(notes, json_text(judgement->notes[i]));
    for (enum judged how = 0; how < JUDGED_COUNT; how++)
        json_put_count(counts, judged_name(how), judgement->counts[how]);
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "passed", json_boolean(!judgement->failed));
    json_object_set_new(root, "run", json_text(verdict->now->name));
    json_object_set_new(root, "phase", json_phase_asked(verdict->now->phase));
    json_object_set_new(root, "baseline", json_text(verdict->base != NULL ? verdict->base->name : NULL));
    json_put_count(root, "runs", verdict->now_count);
    json_put_count(root, "baselines", verdict->base_count);
    json_object_set_new(root, "counts", counts);
    json_put_count(root, "shares_compared", judgement->shares_compared);
    json_put_count(root, "times_compared", judgement->times_compared);
    json_object_set_new(root, "items", items);
    json_object_set_new(root, "notes", notes);
    return dump(out, root);
}

/* Which items code scanning and code quality show: what fails. */
static bool is_reported(const struct judged_item *item)
{
    return judged_fails(item->how);
}

static json_t *sarif_location(const struct judged_item *item)
{
    const struct profile_line *line = item->line;
    char *uri = escape_uri(item_path(item));
    json_t *region = json_pack("{s:i}", "startLine", line->number > 0 ? line->number : 1);
    if (*line->text != '\0')
        json_object_set_new(region, "snippet", json_pack("{s:o}", "text", json_text(line->text)));
    json_t *location = json_pack("{s:{s:{s:s,s:s},s:o}}", "physicalLocation", "artifactLocation", "uri", uri,
                                 "uriBaseId", "SRCROOT", "region", region);
    json_object_set_new(location, "logicalLocations",
                        json_pack("[{s:o,s:s}]", "fullyQualifiedName", json_text(line->function), "kind", "function"));
    free(uri);
    return location;
}

static json_t *sarif_result(const struct judged_item *item)
{
    char *message = verdict_message(item);
    json_t *result = json_pack("{s:s,s:s,s:{s:s}}", "ruleId", item->kind, "level", "error", "message", "text", message);
    json_t *locations = json_array();
    if (item->line != NULL)
        json_array_append_new(locations, sarif_location(item));
    json_object_set_new(result, "locations", locations);
    if (item_phase(item) < PHASE_COUNT)
        json_object_set_new(result, "properties", json_pack("{s:o}", "phase", json_phase(item_phase(item))));
    if (item->finding != NULL)
        json_object_set_new(result, "partialFingerprints", json_pack("{s:s}", "pieprofId/v1", item->finding->id));
    free(message);
    return result;
}

/* One rule for each kind that a result names. */
static json_t *sarif_rules(const struct judgement *judgement)
{
    json_t *rules = json_array();
    for (size_t i = 0; i < judgement->item_count; i++) {
        const char *kind = judgement->items[i].kind;
        bool told = !is_reported(&judgement->items[i]);
        for (size_t j = 0; j < json_array_size(rules) && !told; j++)
            told = strcmp(json_string_value(json_object_get(json_array_get(rules, j), "id")), kind) == 0;
        if (!told)
            json_array_append_new(rules, json_pack("{s:s,s:{s:s}}", "id", kind, "shortDescription", "text",
                                                   "Work whose result the program already had"));
    }
    return rules;
}

bool verdict_show_sarif(FILE *out, const struct verdict *verdict)
{
    const struct judgement *judgement = verdict->judgement;
    json_t *results = json_array();
    for (size_t i = 0; i < judgement->item_count; i++)
        if (is_reported(&judgement->items[i]))
            json_array_append_new(results, sarif_result(&judgement->items[i]));
    json_t *driver =
        json_pack("{s:s,s:s,s:o}", "name", "PieProf", "version", PIEPROF_VERSION, "rules", sarif_rules(judgement));
    json_t *run =
        json_pack("{s:{s:o},s:o,s:s}", "tool", "driver", driver, "results", results, "columnKind", "unicodeCodePoints");
    if (verdict->now->phase < PHASE_COUNT)
        json_object_set_new(run, "properties", json_pack("{s:o}", "phase", json_phase(verdict->now->phase)));
    return dump(out, json_pack("{s:s,s:s,s:[o]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json", "version",
                               "2.1.0", "runs", run));
}

static json_t *codeclimate_issue(const struct judged_item *item)
{
    char *message = verdict_message(item);
    char *fingerprint = item->finding != NULL ? memory_print("%s-%s", item->kind, item->finding->id)
                                              : memory_print("%s-%s-%d", item->kind, item_path(item),
                                                             item->line != NULL ? item->line->number : 0);
    int number = item->line != NULL && item->line->number > 0 ? item->line->number : 1;
    json_t *issue =
        json_pack("{s:s,s:s,s:s,s:o,s:s,s:{s:o,s:{s:i}}}", "type", "issue", "check_name", item->kind, "description",
                  message, "fingerprint", json_text(fingerprint), "severity", "major", "location", "path",
                  json_text(item->line != NULL ? item_path(item) : item->profile->program), "lines", "begin", number);
    json_object_set_new(issue, "categories", json_pack("[s]", "Performance"));
    free(message);
    free(fingerprint);
    return issue;
}

bool verdict_show_codeclimate(FILE *out, const struct verdict *verdict)
{
    json_t *issues = json_array();
    for (size_t i = 0; i < verdict->judgement->item_count; i++)
        if (is_reported(&verdict->judgement->items[i]))
            json_array_append_new(issues, codeclimate_issue(&verdict->judgement->items[i]));
    return dump(out, issues);
}
