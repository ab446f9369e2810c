#include "findings/operand_time.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "findings/far.h"
#include "findings/loop.h"
#include "findings/site_counts.h"
#include "findings/used_up.h"

#define COMPREHENSIONS_MAX 4u /* within one another */
#define NEW_ROUNDED 1.25      /* times as many: its own first results may be among those that were not looked at */

/* What was spent in one context, by the line that it is charged to. */
struct spent {
    const struct process *process;
    uint32_t node;
    uint64_t ns, samples;
    struct line *line;
    struct place *place; /* of that line; NULL: it makes no objects */
    bool told;
};

/* An instruction on one way, and what was spent below it. */
struct operand {
    uint64_t execution; /* hash of its process, function and the way to that */
    struct line_span span;
    uint32_t frame;
    size_t spent; /* number of that */
};

struct operand_times {
    struct operand *operands; /* by execution */
    size_t count, capacity;
    struct spent *spent; /* those that were sampled, by process and node, and then places */
    size_t sampled;      /* of these */
    size_t spent_count, spent_capacity;
};

static uint64_t execution_of(const struct process *process, const struct db_node *frame)
{
    return hash_mix((uintptr_t)process ^ hash_mix((uint64_t)frame->parent << 32 ^ frame->value >> 32));
}

/* The code that the frame runs; NULL: it is not known where it stands. */
static const struct code *add_operand(struct operand_times *times, struct model *model, struct process *process,
                                      uint32_t frame_id)
{
    struct code *code = NULL;
    const struct db_node *frame = run_record(process->run, DB_KIND_NODE, frame_id);
    if (frame == NULL || frame->frame != DB_FRAME_PYTHON)
        return NULL;
    struct line_span span = model_position(model, process, frame, &code);
    if (span.column < 0 || span.line <= 0)
        return NULL;
    times->operands = memory_grow(times->operands, times->count, &times->capacity, sizeof(*times->operands));
    times->operands[times->count++] = (struct operand){
        .execution = execution_of(process, frame), .span = span, .frame = frame_id, .spent = times->spent_count - 1};
    return code;
}

/* The frame that a frame's caller is. */
static uint32_t caller_of(struct process *process, uint32_t frame_id)
{
    const struct db_node *frame = run_record(process->run, DB_KIND_NODE, frame_id);
    const struct node *around = frame != NULL ? model_node(process, frame->parent) : NULL;
    return around != NULL ? around->python : 0;
}

/*
 * To the instruction that it is charged to, to the program's own that leads there, and to what runs the comprehensions around that: up to
 * CPython 3.11 they have frames of their own, and for the text are one execution.
 */
static void add(struct operand_times *times, struct model *model, struct process *process, const struct spent *spent)
{
    uint32_t own = lines_frame_of_leaf(model, process, spent->node), user = model_node(process, spent->node)->user;
    times->spent = memory_grow(times->spent, times->spent_count, &times->spent_capacity, sizeof(*times->spent));
    times->spent[times->spent_count++] = *spent;
    const struct code *code = add_operand(times, model, process, own);
    if (user != own)
        code = add_operand(times, model, process, user);
    for (unsigned i = 0; i < COMPREHENSIONS_MAX && code != NULL && loop_has_own_frame(code); i++) {
        user = caller_of(process, user);
        code = add_operand(times, model, process, user);
    }
}

static void add_process(struct operand_times *times, struct model *model, struct process *process)
{
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;)
        if (record->cpu_ns > 0 && !process->nodes[cursor.index].in_import)
            add(times, model, process,
                &(struct spent){.process = process,
                                .node = (uint32_t)cursor.id,
                                .ns = record->cpu_ns,
                                .samples = record->samples,
                                .line = lines_of_leaf(model, process, (uint32_t)cursor.id),
                                .place = objects_place_charged(model, process, (uint32_t)cursor.id)});
}

/* A place need not have been sampled to make what an expression is made of. */
static void add_places(struct operand_times *times, struct model *model)
{
    for (size_t i = 0; i < model->place_count; i++) {
        struct place *place = model->places[i];
        const struct site *site = place->sites;
        add(times, model, site->process,
            &(struct spent){.process = site->process, .node = site->record->node, .line = place->line, .place = place});
    }
}

static int operand_order(const void *left, const void *right)
{
    const struct operand *a = left, *b = right;
    return (a->execution > b->execution) - (a->execution < b->execution);
}

static struct operand_times *times_of(struct model *model)
{
    if (model->operand_times != NULL)
        return model->operand_times;
    struct operand_times *times = memory_zeroed(1, sizeof(*times));
    for (size_t i = 0; i < model->process_count; i++)
        add_process(times, model, &model->processes[i]);
    times->sampled = times->spent_count;
    add_places(times, model);
    if (times->count > 0)
        qsort(times->operands, times->count, sizeof(*times->operands), operand_order);
    return model->operand_times = times;
}

static bool is_before(int32_t line, int32_t column, int32_t other_line, int32_t other_column)
{
    return line < other_line || (line == other_line && column < other_column);
}

/* Within it, and not all of it. */
static bool is_part(const struct line_span *span, const struct line_span *whole)
{
    bool begins_before = is_before(span->line, span->column, whole->line, whole->column);
    bool ends_behind = is_before(whole->end_line, whole->end_column, span->end_line, span->end_column);
    bool same = span->line == whole->line && span->column == whole->column && span->end_line == whole->end_line &&
                span->end_column == whole->end_column;
    return !begins_before && !ends_behind && !same;
}

/* No results come of it. */
static bool makes_nothing(const struct place *place)
{
    for (const struct site *site = place->sites; site != NULL; site = site->next)
        if (site_results(site) > 0)
            return false;
    return true;
}

/* Of a place's results, those that are new. */
static double new_part(const struct place *place)
{
    double examined = 0, fresh = 0;
    for (const struct site *site = place->sites; site != NULL; site = site->next) {
        if (site_results(site) == 0)
            continue;
        bool is_far = site_repeats_far(site);
        double looked_at = (double)(is_far ? site->record->far_examined : site->record->examined);
        double part = looked_at > 0 ? (double)(is_far ? site->record->far_contents : site_new(site)) / looked_at : 1;
        examined += (double)site->record->births;
        fresh += (double)site->record->births * part;
    }
    return examined > 0 ? fresh / examined : 0;
}

/* On the line itself, or below it in packages. What other rows of an expression make is told there, whichever comes first. */
static bool is_of_line(const struct place *place, const struct line *line)
{
    return place->line == line || (line->caller == NULL && place->line->caller != NULL);
}

/* Does nothing new come of it, and does no finding tell what does? None will, then. */
static bool takes_again(struct spent *spent, const struct line *line, double new_most)
{
    struct place *place = spent->place;
    if (spent->told)
        return false;
    if (place != NULL && !place->is_operand && is_of_line(place, line) && !makes_nothing(place) &&
        new_part(place) <= new_most * NEW_ROUNDED) {
        place->is_operand = true;
        place->is_told_with_another = !place->claimed;
        place->claimed = true;
    }
    spent->told = place == NULL || place->is_told_with_another || makes_nothing(place);
    return spent->told;
}

static void charge_apart(struct spent *spent, const struct line *line, double again)
{
    spent->line->operand_s += (double)spent->ns * 1e-9 * again;
    spent->line->operand_of = line;
}

struct operand_time operand_time_take(struct model *model, const struct line *line, const struct place *place,
                                      double again)
{
    struct operand_times *times = times_of(model);
    const struct site *site = place->sites;
    struct code *code = NULL;
    struct operand_time sum = {0};
    const struct db_node *frame =
        run_record(site->process->run, DB_KIND_NODE, lines_frame_of_leaf(model, site->process, site->record->node));
    struct line_span whole = frame != NULL ? model_position(model, site->process, frame, &code) : (struct line_span){0};
    if (frame == NULL || whole.column < 0)
        return sum;
    const uint64_t execution = execution_of(site->process, frame);
    size_t low = 0, high = times->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (times->operands[middle].execution < execution)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < times->count && times->operands[low].execution == execution; low++) {
        const struct operand *operand = &times->operands[low];
        struct spent *spent = &times->spent[operand->spent];
        if (!is_part(&operand->span, &whole) || used_up_by(model, site->process, operand->frame).length_bytes > 0 ||
            !takes_again(spent, line, 1 - again))
            continue;
        sum.ns += spent->ns;
        sum.samples += spent->samples;
        if (spent->line != line && spent->line != NULL) {
            sum.apart_ns += spent->ns;
            charge_apart(spent, line, again);
        }
    }
    return sum;
}

static int spent_order(const void *left, const void *right)
{
    const struct spent *a = left, *b = right;
    int order = (a->process > b->process) - (a->process < b->process);
    return order != 0 ? order : (a->node > b->node) - (a->node < b->node);
}

bool operand_time_tell(struct model *model, const struct process *process, uint32_t node_id)
{
    struct operand_times *times = times_of(model);
    const struct spent key = {.process = process, .node = node_id};
    struct spent *spent =
        times->sampled > 0 ? bsearch(&key, times->spent, times->sampled, sizeof(key), spent_order) : NULL;
    bool is_first = spent != NULL && !spent->told;
    if (is_first)
        spent->told = true;
    return is_first;
}

void operand_time_charge(struct model *model, const struct finding *finding)
{
    for (size_t i = 0; finding->apart_s > 0 && i < model->line_total; i++) {
        struct line *line = model->lines[i];
        double own_s = (double)times_total(&line->times) * 1e-9;
        if (line->operand_of == finding->line)
            line->computed_again_s = fmax(line->computed_again_s, fmin(line->operand_s, own_s));
    }
}

void operand_times_free(struct model *model)
{
    if (model->operand_times != NULL)
        free(model->operand_times->operands), free(model->operand_times->spent);
    free(model->operand_times);
    model->operand_times = NULL;
}
