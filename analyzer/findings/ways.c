#include "findings/ways.h"

#include <string.h>

#include "findings/site_counts.h"

#define FRAMES_MAX 200

/* The Python frames of a way, outermost first: node ids. */
struct way {
    const struct db_node *frames[FRAMES_MAX];
    size_t count;
};

/* False when the way has more frames than are looked at: its outermost ones are then unknown. */
static bool way_to(const struct process *process, uint32_t node_id, struct way *way)
{
    const struct db_node *inward[FRAMES_MAX];
    size_t count = 0;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (; record != NULL; record = run_record(process->run, DB_KIND_NODE, record->parent)) {
        if (record->frame != DB_FRAME_PYTHON)
            continue;
        if (count == FRAMES_MAX)
            return false;
        inward[count++] = record;
    }
    for (way->count = 0; way->count < count; way->count++)
        way->frames[way->count] = inward[count - 1 - way->count];
    return true;
}

/* Where a frame stands. Not by its instruction: CPython 3.11 makes one call from two of them (model/nodes.c). */
struct step {
    const struct code *code;
    struct line_span span;
};

static struct step step_at(struct model *model, struct process *process, const struct db_node *record)
{
    struct code *code;
    struct line_span span = model_position(model, process, record, &code);
    return (struct step){code, span};
}

static bool is_one_place(const struct line_span *one, const struct line_span *other)
{
    return one->line == other->line && one->column == other->column;
}

static bool is_passed_through(const struct code *code)
{
    return code != NULL && (code->owner == OWNER_FOUNDATION || code->owner == OWNER_STDLIB);
}

/* The first code from frame `at` in that is not run by NumPy, PyTorch or Python's library, as a decorator of theirs is. */
static const struct code *code_behind(struct model *model, struct process *process, const struct way *way, size_t at)
{
    const struct code *code = NULL;
    for (; at < way->count; at++) {
        code = step_at(model, process, way->frames[at]).code;
        if (!is_passed_through(code))
            return code;
    }
    return NULL;
}

static bool lead_into_others(struct model *model, struct process *process, const struct way *first,
                             const struct way *second, size_t at)
{
    const struct code *one = code_behind(model, process, first, at), *other = code_behind(model, process, second, at);
    return one != NULL && other != NULL && one != other;
}

struct ways ways_part(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node)
{
    struct way first, second;
    struct ways none = {0};
    if (!way_to(process, first_node, &first) || !way_to(process, second_node, &second))
        return none;
    for (size_t i = 0; i < first.count && i < second.count; i++) {
        struct step a = step_at(model, process, first.frames[i]), b = step_at(model, process, second.frames[i]);
        if (a.code == NULL || a.code != b.code)
            return none;
        if (is_one_place(&a.span, &b.span))
            continue;
        bool own = a.code->owner == OWNER_USER || a.code->owner == OWNER_PACKAGE;
        return own ? (struct ways){.file = a.code->file,
                                   .first = a.span.line,
                                   .second = b.span.line,
                                   .first_call = a.span,
                                   .second_call = b.span,
                                   .into_others = lead_into_others(model, process, &first, &second, i + 1)}
                   : none;
    }
    return none;
}

static bool step_is(struct step one, struct step other)
{
    return one.code == other.code && is_one_place(&one.span, &other.span);
}

/* The nearest step of the user's from frame `at` out; none: the code is NULL. */
static struct step user_step(struct model *model, struct process *process, const struct way *way, size_t at)
{
    for (; at > 0; at--) {
        struct step step = step_at(model, process, way->frames[at - 1]);
        if (step.code != NULL && step.code->owner == OWNER_USER)
            return step;
    }
    return (struct step){0};
}

struct ways_calls ways_calls(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node)
{
    struct way first, second;
    struct ways_calls none = {0};
    if (!way_to(process, first_node, &first) || !way_to(process, second_node, &second))
        return none;
    size_t i = first.count, k = second.count;
    while (i > 0 && k > 0 &&
           step_is(step_at(model, process, first.frames[i - 1]), step_at(model, process, second.frames[k - 1]))) {
        i--;
        k--;
    }
    struct step a = user_step(model, process, &first, i), b = user_step(model, process, &second, k);
    if (a.code == NULL || b.code == NULL || step_is(a, b))
        return none;
    return (struct ways_calls){a.code->file, a.span.line, b.code->file, b.span.line};
}

/* Is all of its text that of one suite? */
static bool is_of_suite(const struct code *code)
{
    const char *end = strrchr(code->function, '>');
    return end == NULL || end[1] != '\0' || strcmp(code->function, "<module>") == 0;
}

size_t ways_behind(struct model *model, struct process *process, uint32_t node_id, uint32_t other_node,
                   struct ways_step *steps, size_t most)
{
    struct way own, other;
    size_t parting = 0, count = 0;
    if (!way_to(process, node_id, &own) || !way_to(process, other_node, &other))
        return SIZE_MAX;
    while (parting < own.count && parting < other.count &&
           step_is(step_at(model, process, own.frames[parting]), step_at(model, process, other.frames[parting])))
        parting++;
    for (size_t i = parting; i < own.count; i++) {
        struct step step = step_at(model, process, own.frames[i]);
        if (step.code == NULL)
            return SIZE_MAX;
        if (is_passed_through(step.code) && i > parting)
            continue;
        if (step.code->owner != OWNER_USER || !is_of_suite(step.code) || count == most)
            return SIZE_MAX;
        steps[count++] = (struct ways_step){step.code->file, step.span.line};
    }
    return count;
}

/* Where the line's function was called. */
static struct line_span caller_of(struct model *model, const struct site *site, struct code **code)
{
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    const struct db_node *record = run_record(site->process->run, DB_KIND_NODE, frame);
    const struct node *caller = record != NULL ? model_node(site->process, record->parent) : NULL;
    record = caller != NULL ? run_record(site->process->run, DB_KIND_NODE, caller->python) : NULL;
    return record != NULL ? model_position(model, site->process, record, code) : (struct line_span){0};
}

/* Some of them may come again. Those of one period of `again` would not have had the time. */
static bool is_mostly_new(const struct site *site, const struct site *again)
{
    return site_new(site) > 1 && site_new(site) > site_period(again) && site_new(site) >= site->record->replicas;
}

const struct site *ways_new_on_another(const struct line *line, const struct site *site)
{
    const struct line_span *span = &site->place->span;
    for (const struct place *place = line->places; place != NULL; place = place->next)
        for (const struct site *other = place->sites; other != NULL && !place->claimed; other = other->next)
            if (place->span.line == span->line && place->span.column == span->column &&
                place->span.end_column == span->end_column && other->record->examined > 0 && is_mostly_new(other, site))
                return other;
    return NULL;
}

struct ways ways_to_line(struct model *model, const struct site *one, const struct site *other)
{
    struct code *first_code = NULL, *second_code = NULL;
    struct line_span first = caller_of(model, one, &first_code), second = caller_of(model, other, &second_code);
    if (first_code != NULL && second_code != NULL && first_code->file == second_code->file &&
        !is_one_place(&first, &second))
        return (struct ways){.file = first_code->file,
                             .first = first.line,
                             .second = second.line,
                             .first_call = first,
                             .second_call = second};
    return one->process == other->process ? ways_part(model, one->process, one->record->node, other->record->node)
                                          : (struct ways){0};
}
