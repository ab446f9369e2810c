/*
 * Claim: the line clears gradients that a function which is called next clears first of all: the one ahead of the call is needless.
 * Evidence: the text shows both, and nothing between them that has to do with gradients (clear_call.h); samples of backward passes
 * show that they run in that function, called from there, and none between the clears. The waste is the time of the cheaper of the two:
 * the one that stays finds the memory no longer at hand.
 * Traps: other calls of the function (its own clear stays, for they may need it); a function that is another when it is called
 * (the samples' frames name it); a round that ends in between; what is called in between and steps, or goes backward; gradients that the
 * program stores itself; clears of other parameters, or to None and to zeros.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/sites.h"
#include "model/select.h"
#include "model/source.h"
#include "python/clear_call.h"

#define SAMPLES_MIN 4u /* of the line */
#define BACKWARD_MIN 10u
#define WASTE_PERCENT 0.5
#define FRAMES_MAX 200

/* The pair of clears, and the lines of both. */
struct ahead {
    struct clear_call rows;
    const struct line *line, *in_call;
};

/* Samples of backward passes, by where they ran. */
struct passes {
    uint64_t in_call, between;
};

static bool is_in(const struct code *code, const struct line *line)
{
    return strcmp(code->file, line->file) == 0 && strcmp(code->function, line->function) == 0;
}

/* Does a frame of the caller's stand between the clears? `inner`: the frame that it calls stands in the function, behind its clear. */
static bool is_between(const struct ahead *ahead, int32_t row, bool inner)
{
    bool calls = row >= ahead->rows.call && row <= ahead->rows.call_last;
    return row > ahead->rows.first && row <= ahead->rows.call_last && !(calls && inner);
}

static void add_pass(struct passes *passes, struct model *model, struct process *process, uint32_t node_id,
                     const struct ahead *ahead)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    uint64_t samples = record != NULL ? record->samples : 0;
    bool inner = false, in_call = false, between = false;
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        struct code *code = NULL;
        struct line_span span =
            record->frame == DB_FRAME_PYTHON ? model_position(model, process, record, &code) : (struct line_span){0};
        if (span.line > 0 && is_in(code, ahead->line)) {
            between |= is_between(ahead, span.line, inner);
            in_call |= inner && span.line >= ahead->rows.call && span.line <= ahead->rows.call_last;
        }
        bool in_function = span.line > 0 && is_in(code, ahead->in_call);
        between |= in_function && span.line < ahead->rows.second;
        inner = record->frame == DB_FRAME_PYTHON ? in_function && span.line > ahead->rows.second : inner;
        record = run_record(process->run, DB_KIND_NODE, record->parent);
    }
    passes->in_call += in_call ? samples : 0;
    passes->between += between ? samples : 0;
}

/* Do the samples bear out what the text says: that function is called there, and goes backward behind its clear? */
static bool is_seen(struct model *model, const struct ahead *ahead)
{
    struct passes passes = {0};
    for (size_t i = 0; i < model->process_count; i++) {
        struct process *process = &model->processes[i];
        struct run_cursor cursor = {0};
        for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
            const struct node *node = &process->nodes[cursor.index];
            if (record->samples > 0 && !node->in_import && node_phase(process, node) == PHASE_BACKWARD)
                add_pass(&passes, model, process, (uint32_t)cursor.id, ahead);
        }
    }
    return passes.between == 0 && passes.in_call >= BACKWARD_MIN;
}

static void say(struct model *model, struct finding *finding)
{
    struct clear_call rows = {0};
    clear_call_find(source_code(model, finding->line->file), finding->line->number, &rows);
    char *second = say_place(model, finding->by->file, rows.second);
    char *call = say_place(model, finding->by->file, rows.call);
    finding->claim =
        memory_print("Clears the gradients that %s clears, too, in %s(), which is called at %s: neither this "
                     "file nor the samples show a backward pass in between.",
                     second, finding->by->function, call);
    finding->advice =
        memory_print("Leave this one out and keep %s, where no other code adds to these gradients, or reads "
                     "them, in between.",
                     second);
    free(second);
    free(call);
}

static double waste_s(const struct ahead *ahead)
{
    return (double)fmin((double)times_total(&ahead->line->times), (double)times_total(&ahead->in_call->times)) * 1e-9;
}

/* Of the line alone: how dear the other clear is few samples of a run of some seconds say. */
static bool is_worth_telling(const struct model *model, const struct line *line)
{
    return line->times.samples >= SAMPLES_MIN &&
           model_percent(model, (double)times_total(&line->times) * 1e-9) >= WASTE_PERCENT;
}

static void look_at(struct model *model, struct line *line)
{
    struct ahead ahead = {.line = line};
    if (!clear_call_find(source_code(model, line->file), line->number, &ahead.rows))
        return;
    ahead.in_call = finding_line_beside(model, line, ahead.rows.second);
    if (ahead.in_call == NULL || finding_has_line(ahead.in_call) || !is_seen(model, &ahead))
        return;
    struct finding *finding = finding_add(model, line, "redundant_store", FINDING_REPEATED_CALL);
    finding->waste_s = waste_s(&ahead);
    finding->part = finding->whole = line->times.samples;
    finding->by_text = true;
    finding->by = ahead.in_call;
    finding->say = say;
    finding_set_context(model, finding);
}

void rule_cleared_before_call(struct model *model)
{
    for (size_t i = 0; i < model->line_total; i++) {
        struct line *line = model->lines[i];
        if (line->own && is_worth_telling(model, line) && !finding_has_line(line))
            look_at(model, line);
    }
}
