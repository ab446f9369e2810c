/* Seconds of source lines: each sample is its user line's, or its package line's where the user line is an entrance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "model/share.h"

/* The length of "<listcomp>" at the end of a function's name; 0: it ends otherwise. */
static size_t inner_bytes(const char *function)
{
    static const char *const inner[] = {"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>"};
    size_t length = strlen(function);
    for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
        size_t part = strlen(inner[i]);
        if (length >= part && strcmp(function + length - part, inner[i]) == 0)
            return part;
    }
    return 0;
}

/*
 * "causal_mask" of "causal_mask.<locals>.<listcomp>": what stands within a line is not told apart from it. Up to 3.10 the name is
 * "<listcomp>" wherever it stands, later only in a module's own code. Interned.
 */
static const char *enclosing_function(const char *function, uint32_t version)
{
    size_t length = strlen(function), part = inner_bytes(function);
    if (part == 0)
        return function;
    if (part == length)
        return version >= 0x030b0000 ? intern_string("<module>") : function;
    length -= part;
    length -= function[length - 1] == '.';
    if (length > 9 && strncmp(function + length - 9, ".<locals>", 9) == 0)
        length -= 9;
    return enclosing_function(intern_bytes(function, length), version);
}

struct line *lines_get(struct model *model, struct process *process, uint32_t node_id)
{
    struct code *code;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    struct line_span span = record != NULL ? model_position(model, process, record, &code) : (struct line_span){0};
    if (record == NULL || code == NULL)
        return NULL;
    const char *function = enclosing_function(code->function, process->run->record->python_version);
    struct map_key key = {(uintptr_t)code->file, (uint64_t)span.line, 0};
    struct line *line = map_get(&model->line_map, key);
    if (line != NULL) {
        if (inner_bytes(line->function) > 0)
            line->function = function;
        return line;
    }
    line = memory_zeroed(1, sizeof(*line));
    *line = (struct line){.file = code->file, .function = function, .number = span.line, .span = span};
    line->own = code->owner == OWNER_USER || code->pseudo;
    map_put(&model->line_map, key, line);
    model->lines = memory_grow(model->lines, model->line_total, &model->line_capacity, sizeof(struct line *));
    return model->lines[model->line_total++] = line;
}

/* Does this line carry half of the run's time and more? */
static bool is_entrance(const struct model *model, const struct line *line)
{
    uint64_t total = totals_run_ns(&model->totals);
    return line != NULL && total > 0 && line->carried_ns >= total - total / 2;
}

uint32_t lines_leaf(const struct process *process, uint32_t node_id)
{
    const struct node *node = model_node(process, node_id);
    bool pool = node != NULL && node->python != 0 && node->user == 0 && node->package_frame == 0;
    const struct node *starter = pool ? model_node(process, node->started_by) : NULL;
    return starter != NULL && !starter->in_import ? node->started_by : node_id;
}

/* Asked for of each context by many rules: it is kept. */
static const struct node *told_frame_set(const struct model *model, const struct process *process, uint32_t node_id)
{
    struct node *asked = model_node(process, node_id);
    if (asked == NULL || asked->is_told)
        return asked;
    const struct node *node = model_node(process, lines_leaf(process, node_id));
    bool package_leads =
        node != NULL && node->package_frame != 0 && (node->line == NULL || is_entrance(model, node->line));
    asked->told_frame = node == NULL ? 0 : package_leads ? node->package_frame : node->user;
    asked->is_told = true;
    return asked;
}

uint32_t lines_frame_of_leaf(const struct model *model, const struct process *process, uint32_t node_id)
{
    const struct node *node = told_frame_set(model, process, node_id);
    return node != NULL ? node->told_frame : 0;
}

static struct line *line_told(struct model *model, struct process *process, uint32_t node_id, uint32_t frame)
{
    const struct node *node = model_node(process, lines_leaf(process, node_id));
    if (node == NULL || frame == node->user)
        return node != NULL ? node->line : NULL;
    struct line *line = lines_get(model, process, frame);
    if (line != NULL && line->caller == NULL)
        line->caller = node->line;
    return line;
}

struct line *lines_of_leaf(struct model *model, struct process *process, uint32_t node_id)
{
    struct node *node = model_node(process, node_id);
    if (node != NULL && node->told == NULL)
        node->told = line_told(model, process, node_id, lines_frame_of_leaf(model, process, node_id));
    return node != NULL ? node->told : NULL;
}

static void times_add(struct times *times, enum time_kind kind, const struct db_node *record)
{
    times->ns[kind] += record->cpu_ns;
    times->samples += record->samples;
}

/*
 * A thread with Python is never at its root: its samples there found no room for the frames below. What kind of time they
 * are, and whose, is unknown.
 */
static bool is_unplaced(const struct db_node *record)
{
    return record->frame == DB_FRAME_ROOT && (uint32_t)record->value != DB_ROOT_NATIVE;
}

/* First pass: the run's totals, and in span_ns what each user line carries. */
static void charge_totals(struct model *model, struct process *process)
{
    const struct run_table *table = &process->run->tables[DB_KIND_NODE];
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(table, &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        if (record->samples == 0 && record->cpu_ns == 0)
            continue;
        if (is_unplaced(record)) {
            model->totals.unplaced_ns += record->cpu_ns;
            continue;
        }
        if (node->in_import) {
            model->totals.import_ns += record->cpu_ns;
            model->totals.import_own_ns += node->imports_own ? record->cpu_ns : 0;
            continue;
        }
        enum time_kind kind = time_kind_of(process, record, node);
        if (node_counts(model, process, node))
            times_add(&model->totals.times, kind, record);
        times_add(&model->totals.phases[node_phase(process, node)].times, kind, record);
        if (node->line != NULL)
            node->line->carried_ns += record->cpu_ns;
    }
}

/* The heaviest single place on the line is the one whose columns are shown. */
static void line_place(struct model *model, struct process *process, struct line *line, const struct node *node,
                       uint64_t cpu_ns)
{
    uint32_t frames[2] = {node->user, node->package_frame};
    for (unsigned i = 0; i < 2; i++) {
        struct code *code;
        const struct db_node *record = frames[i] != 0 ? run_record(process->run, DB_KIND_NODE, frames[i]) : NULL;
        if (record == NULL || cpu_ns <= line->span_ns)
            continue;
        struct line_span span = model_position(model, process, record, &code);
        if (span.line != line->number || code == NULL || code->file != line->file)
            continue;
        line->span = span;
        line->span_ns = cpu_ns;
    }
}

/* What of a line's time was spent on threads that worked for it. */
static void charge_worker(struct model *model, struct line *line, const struct db_node *record, const struct node *node,
                          bool pool)
{
    if (node->worker || pool) {
        line->worker_ns += record->cpu_ns;
        model->totals.worker_ns += record->cpu_ns;
        model->totals.adopted_ns += node->adopted || pool ? record->cpu_ns : 0;
    }
}

static void charge_elsewhere(struct model *model, struct process *process, const struct db_node *record,
                             const struct node *node)
{
    struct totals *totals = &model->totals;
    totals->phases[node_phase(process, node)].elsewhere_ns += record->cpu_ns;
    if (!node_counts(model, process, node))
        return;
    totals->elsewhere_ns += record->cpu_ns;
    if (node->worker && node->python == 0)
        totals->waiting_ns += record->cpu_ns;
    else if (time_kind_of(process, record, node) != TIME_NATIVE)
        totals->interpreter_ns += record->cpu_ns;
}

static void charge_lines(struct model *model, struct process *process)
{
    const struct run_table *table = &process->run->tables[DB_KIND_NODE];
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(table, &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        if (node->in_import || is_unplaced(record) || (record->samples == 0 && record->cpu_ns == 0))
            continue;
        struct line *line = lines_of_leaf(model, process, (uint32_t)cursor.id);
        if (line == NULL) {
            charge_elsewhere(model, process, record, node);
            continue;
        }
        line->phase_ns[node_phase(process, node)] += record->cpu_ns;
        line->phases |= 1u << node_phase(process, node);
        if (!node_counts(model, process, node))
            continue;
        times_add(&line->times, time_kind_of(process, record, node), record);
        charge_worker(model, line, record, node, lines_leaf(process, (uint32_t)cursor.id) != cursor.id);
        line_place(model, process, line, node, record->cpu_ns);
    }
}

void lines_charge(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++)
        charge_totals(model, &model->processes[i]);
    for (size_t i = 0; i < model->process_count; i++)
        charge_lines(model, &model->processes[i]);
}

/*
 * A line's waste is an upper bound: the part of its native time that its redundant or dead stores stand for, where most of
 * its stores are (the lower end of the interval), or what findings/ say of its objects. Redundant loads alone promise
 * nothing (DESIGN section 5).
 */
static void line_waste(struct line *line)
{
    static const enum share_kind kinds[] = {SHARE_STORES, SHARE_DEAD};
    for (size_t i = 0; i < 2; i++) {
        const struct share *share = &line->shares[kinds[i]];
        struct estimate estimate = share_estimate_needless(share);
        double waste_s = (double)line->times.ns[TIME_NATIVE] * 1e-9 * estimate.fraction;
        if (estimate.known && estimate.low >= 0.5 && (!line->wasteful || waste_s > line->stored_s)) {
            line->wasteful = true;
            line->stored_s = waste_s;
            line->waste_kind = kinds[i];
        }
    }
    line->waste_s = fmax(fmax(line->stored_s, line->computed_again_s), fmax(line->allocated_s, line->taken_apart_s));
}

static int line_order(const void *left, const void *right)
{
    const struct line *a = *(struct line *const *)left, *b = *(struct line *const *)right;
    if (a->waste_s < b->waste_s || a->waste_s > b->waste_s)
        return a->waste_s > b->waste_s ? -1 : 1;
    uint64_t a_ns = times_total(&a->times), b_ns = times_total(&b->times);
    if (a_ns != b_ns)
        return a_ns > b_ns ? -1 : 1;
    int order = strcmp(a->file, b->file);
    return order != 0 ? order : a->number - b->number;
}

/* Nothing was charged to it: it was only looked up. */
static bool line_is_empty(const struct line *line)
{
    uint64_t events = line->times.samples + times_total(&line->times) + line->objects.births;
    for (size_t i = 0; i < SHARE_KINDS; i++)
        events += line->shares[i].pairs;
    return events == 0;
}

void lines_rank(struct model *model)
{
    for (size_t i = 0; i < model->line_total; i++) {
        struct line *line = model->lines[i];
        if (!line_is_empty(line)) {
            model->lines[i] = model->lines[model->line_count];
            model->lines[model->line_count++] = line;
        }
    }
    lines_sort(model);
}

void lines_sort(struct model *model)
{
    for (size_t i = 0; i < model->line_count; i++)
        line_waste(model->lines[i]);
    if (model->line_count > 0)
        qsort(model->lines, model->line_count, sizeof(struct line *), line_order);
}

const char *lines_directory(const struct model *model)
{
    const char *first = NULL;
    size_t common = 0;
    for (size_t i = 0; i < model->line_count; i++) {
        const char *file = model->lines[i]->file;
        if (!model->lines[i]->own || file[0] != '/')
            continue;
        if (first == NULL) {
            first = file;
            common = strlen(file);
        }
        size_t same = 0;
        while (same < common && first[same] == file[same])
            same++;
        common = same;
    }
    while (common > 0 && first[common - 1] != '/')
        common--;
    return intern_bytes(first, common);
}
