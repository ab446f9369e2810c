#include "findings/whole_call.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/comprehension.h"
#include "findings/elided.h"
#include "findings/loop.h"
#include "findings/sites.h"
#include "model/source.h"
#include "python/only_makes.h"
#include "python/scope.h"
#include "show/page.h"

#define FRAMES_MAX 200
#define ROWS_MAX 6u /* so many are named */

/* Where the function that a site's line stands in was called: by the nearest frame of the user's. */
struct call {
    const struct process *process;
    const struct code *code; /* NULL: none is known */
    int32_t line;
    uint32_t frame; /* node id, of the caller's */
};

/* The frame of the function that a site's line stands in: not that of a comprehension on the line (up to CPython 3.11 it has one). */
static uint32_t function_frame(struct model *model, const struct site *site)
{
    struct process *process = site->process;
    uint32_t node_id = lines_frame_of_leaf(model, process, site->record->node);
    for (unsigned i = 0; i < FRAMES_MAX; i++) {
        struct code *code = NULL;
        const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
        if (record == NULL || record->frame != DB_FRAME_PYTHON)
            return node_id;
        model_position(model, process, record, &code);
        if (code == NULL || !loop_has_own_frame(code))
            return node_id;
        node_id = record->parent;
    }
    return node_id;
}

static struct call call_of(struct model *model, const struct site *site)
{
    struct process *process = site->process;
    struct code *code = NULL;
    uint32_t node_id = function_frame(model, site);
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        node_id = record->parent;
        record = run_record(process->run, DB_KIND_NODE, node_id);
        if (record == NULL || record->frame != DB_FRAME_PYTHON)
            continue;
        struct line_span span = model_position(model, process, record, &code);
        if (code != NULL && code->owner == OWNER_USER)
            return (struct call){process, code, span.line, node_id};
    }
    return (struct call){0};
}

static bool call_is(const struct call *one, const struct call *other)
{
    return one->process == other->process && one->code == other->code && one->line == other->line;
}

/* One of the user's own functions, which makes what it returns, and no more. */
static bool is_plain_function(struct model *model, const struct line *line)
{
    const struct source *code = source_code(model, line->file);
    int32_t def = line->own && code->text != NULL ? scope_function(code, line->number) : 0;
    return def > 0 && strchr(line->function, '>') == NULL && function_only_makes(code, def);
}

static bool may_share(struct model *model, const struct finding *finding)
{
    const struct finding_object *object = &finding->object;
    return strcmp(finding->kind, "replica") == 0 && strcmp(finding->category, FINDING_LOOP_INVARIANT) == 0 &&
           finding->second != NULL && !finding->part_of_call && finding->line->caller == NULL &&
           !object->hardly_changes && object->ways < 2 && is_plain_function(model, finding->line);
}

static bool is_of_function(const struct line *line, const struct line *other)
{
    return line->file == other->file && line->function == other->function;
}

/* One content, or those of one call, which come round with it: as many as the call makes. */
static bool is_same(const struct site *site, uint64_t calls)
{
    uint64_t a_call = calls > 0 ? site->record->births / calls : 0;
    bool comes_round = site->record->period > 1 && site->record->period == a_call && site_new(site) <= a_call;
    return site->record->replicas > 0 && (site_new(site) <= 1 || comes_round);
}

/*
 * Sites with one content each, of sizes of their own, are new as well where they are several; what NumPy made in place of what was looked
 * at may be.
 */
static bool is_new_each_time(struct model *model, const struct place *place, const struct call *call, uint64_t calls)
{
    size_t singles = 0;
    for (const struct site *site = place->sites; site != NULL; site = site->next) {
        bool is_open = site_is_elided_within(model, site);
        if (site->record->examined == 0 || site_is_constant(site) || (is_same(site, calls) && !is_open))
            continue;
        struct call its = call_of(model, site);
        if (call_is(&its, call) && (is_open || site_new(site) > 1 || ++singles > 1))
            return true;
    }
    return false;
}

/* Is anything new that the lines of its function make by so many calls from there, as far as it was looked at? */
static bool makes_new(struct model *model, const struct line *of, const struct call *call, uint64_t calls)
{
    for (size_t i = 0; i < model->line_total; i++)
        for (const struct place *place = is_of_function(model->lines[i], of) ? model->lines[i]->places : NULL;
             place != NULL; place = place->next)
            if (is_new_each_time(model, place, call, calls))
                return true;
    return false;
}

static bool is_looped(struct model *model, const struct finding *leader, const struct call *call)
{
    struct process *process = leader->second->process;
    return loop_outermost(model, process, call->frame).file != NULL ||
           comprehension_outermost(model, process, function_frame(model, leader->second)).file != NULL;
}

static bool shares(struct model *model, const struct finding *leader, const struct call *call,
                   const struct finding *other)
{
    if (other->call_leader != NULL || !is_of_function(leader->line, other->line) || !may_share(model, other))
        return false;
    struct call its = call_of(model, other->second);
    return call_is(&its, call);
}

/* How often the function was called from there, at least: as often as the rarest of what is told of it was made. */
static uint64_t calls_of(struct model *model, const struct finding *leader, const struct call *call)
{
    uint64_t calls = leader->second->record->births;
    for (size_t i = 0; i < model->finding_count; i++) {
        const struct finding *other = model->findings[i];
        if (shares(model, leader, call, other) && other->second->record->births < calls)
            calls = other->second->record->births;
    }
    return calls;
}

static void lead(struct finding *leader, struct finding *finding)
{
    finding->call_leader = leader;
    leader->call_s += finding->waste_s;
    leader->call_samples += finding->waste_samples;
}

void whole_calls_find(struct model *model)
{
    for (size_t i = 0; i < model->finding_count; i++) {
        struct finding *leader = model->findings[i];
        if (leader->call_leader != NULL || !may_share(model, leader))
            continue;
        struct call call = call_of(model, leader->second);
        bool is_led = call.code != NULL && is_looped(model, leader, &call) &&
                      !makes_new(model, leader->line, &call, calls_of(model, leader, &call));
        bool leads = false;
        for (size_t k = i + 1; is_led && k < model->finding_count; k++)
            if (shares(model, leader, &call, model->findings[k])) {
                lead(leader, model->findings[k]);
                leads = true;
            }
        if (leads)
            lead(leader, leader);
    }
}

static int row_order(const void *left, const void *right)
{
    return *(const int32_t *)left - *(const int32_t *)right;
}

/* "train.py:12, 14 and 15", without the leader's. Fresh memory. */
static char *say_shared(struct model *model, const struct finding *leader)
{
    int32_t *rows = memory_zeroed(model->finding_count, sizeof(int32_t));
    size_t count = 0;
    for (size_t i = 0; i < model->finding_count; i++)
        if (model->findings[i] != leader && model->findings[i]->call_leader == leader)
            rows[count++] = model->findings[i]->line->number;
    qsort(rows, count, sizeof(rows[0]), row_order);
    char *text = say_rows(model, leader->line->file, rows, count < ROWS_MAX ? count : ROWS_MAX);
    char *whole = memory_print("%s%s", text, count > ROWS_MAX ? " and more" : "");
    free(text);
    free(rows);
    return whole;
}

char *whole_call_say(struct model *model, const struct finding *finding)
{
    struct call call = finding->call_leader == finding ? call_of(model, finding->second) : (struct call){0};
    if (call.code == NULL)
        return memory_print("%s", "");
    struct word name = word_last_part((struct word){finding->line->function, strlen(finding->line->function)});
    char *rows = say_shared(model, finding), *took = page_seconds(finding->call_s);
    char *function = text_printable(name.text, name.length_bytes),
         *place = say_place(model, call.code->file, call.line);
    char *text = memory_print(
        " All larger arrays that the call of %s() at %s makes are the same each time (%s likewise, %s in all): "
        "where nothing small changes, keep what it returns, and store nothing into it.",
        function, place, rows, took);
    free(rows);
    free(took);
    free(function);
    free(place);
    return text;
}
