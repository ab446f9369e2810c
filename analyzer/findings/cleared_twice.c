/*
 * Claim: the line clears gradients that another statement has just cleared, or is about to clear: one of the two will do.
 * Evidence: the text shows two clears of the same gradients in one suite (cleared.h); samples of the backward passes show that all
 * of these run between the two, or that none does. Needs no followed store, of which a run of a few seconds has too few. The
 * waste is the time of the cheaper of the two.
 * Traps: a second backward pass on the other side (two losses, a GAN); passes too rare to be sampled (the file's text has no
 * other); gradients that the program stores itself, or looks at after they were cleared; a round that ends early; an optimizer
 * that has more or fewer parameters than the model.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/sites.h"
#include "model/select.h"
#include "model/source.h"
#include "python/cleared.h"
#include "python/scope.h"

#define SAMPLES_MIN 4u /* of the line */
#define BACKWARD_MIN 10u
#define WASTE_PERCENT 0.5
#define ROWS_MAX 64u
#define FRAMES_MAX 200

/* Where the backward passes run, as seen from the function that clears. */
struct passes {
    uint64_t inside, outside,
        elsewhere;          /* samples: between the two clears, on other lines, in no call of that function */
    int32_t rows[ROWS_MAX]; /* of the file, on the ways to them */
    size_t row_count;
};

static void add_row(struct passes *passes, int32_t row)
{
    for (size_t i = 0; i < passes->row_count; i++)
        if (passes->rows[i] == row)
            return;
    if (passes->row_count < ROWS_MAX)
        passes->rows[passes->row_count++] = row;
}

static void add_pass(struct passes *passes, struct model *model, struct process *process, uint32_t node_id,
                     const struct line *line, const struct cleared *pair)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    uint64_t samples = record != NULL ? record->samples : 0;
    uint64_t *side = &passes->elsewhere;
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        struct code *code = NULL;
        struct line_span span =
            record->frame == DB_FRAME_PYTHON ? model_position(model, process, record, &code) : (struct line_span){0};
        if (span.line > 0 && strcmp(code->file, line->file) == 0) {
            bool between = span.line > pair->first && span.line < pair->second;
            if (side == &passes->elsewhere && strcmp(code->function, line->function) == 0)
                side = between ? &passes->inside : &passes->outside;
            add_row(passes, span.line);
        }
        record = run_record(process->run, DB_KIND_NODE, record->parent);
    }
    *side += samples;
}

static void find_passes(struct passes *passes, struct model *model, const struct line *line, const struct cleared *pair)
{
    for (size_t i = 0; i < model->process_count; i++) {
        struct process *process = &model->processes[i];
        struct run_cursor cursor = {0};
        for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
            const struct node *node = &process->nodes[cursor.index];
            if (record->samples > 0 && !node->in_import && node_phase(process, node) == PHASE_BACKWARD)
                add_pass(passes, model, process, (uint32_t)cursor.id, line, pair);
        }
    }
}

static bool is_seen(const struct passes *passes, int32_t row)
{
    for (size_t i = 0; i < passes->row_count; i++)
        if (passes->rows[i] == row)
            return true;
    return false;
}

/* Does each row that asks for gradients stand on that side of the clears, or was it seen to be run from there? */
static bool text_agrees(const struct source *code, const struct cleared *pair, const struct passes *passes, bool inside)
{
    int32_t function = scope_function(code, pair->first);
    for (int32_t row = 0; (row = cleared_backward(code, row + 1)) > 0;) {
        bool between = row > pair->first && row < pair->second;
        bool is_here = scope_function(code, row) == function;
        if (is_here ? between != inside : !is_seen(passes, row))
            return false;
    }
    return true;
}

/* Is nothing added to the gradients between one of the clears and the other, the next round's perhaps? */
static bool is_needless(struct model *model, const struct line *line, const struct cleared *pair)
{
    struct passes passes = {.row_count = 0};
    const struct source *code = source_code(model, line->file);
    find_passes(&passes, model, line, pair);
    if (passes.elsewhere > 0 || (passes.inside > 0) == (passes.outside > 0) ||
        passes.inside + passes.outside < BACKWARD_MIN)
        return false;
    bool inside = passes.inside > 0;
    return text_agrees(code, pair, &passes, inside) &&
           (inside ? cleared_is_closed(code, pair) : cleared_is_quiet(code, pair));
}

static void say(struct model *model, struct finding *finding)
{
    struct cleared pair = {0};
    cleared_find(source_code(model, finding->line->file), finding->line->number, &pair);
    int32_t other = pair.first == finding->line->number ? pair.second : pair.first;
    char *place = say_place(model, finding->line->file, other);
    finding->claim = memory_print(
        "Clears the gradients that %s clears, too: neither this file nor the samples show a backward pass in between.",
        place);
    finding->advice = memory_print("Leave one of the two out, this one or %s, where no other code adds to these "
                                   "gradients, or reads them, in between.",
                                   place);
    free(place);
}

static double waste_s(const struct line *line)
{
    return (double)times_total(&line->times) * 1e-9;
}

static bool is_worth_telling(const struct model *model, const struct line *line)
{
    return line != NULL && line->times.samples >= SAMPLES_MIN && model_percent(model, waste_s(line)) >= WASTE_PERCENT;
}

/* Where the first frees the gradients, the second has nothing to do, and will have once the first is gone. */
static double saved_s(const struct line *line, const struct line *other)
{
    return other == NULL ? 0 : fmin(waste_s(line), waste_s(other));
}

/* Of two that are alike the second is named: with the first alone, gradients are cleared where most programs clear them. */
static void look_at(struct model *model, struct line *line)
{
    struct cleared pair;
    if (!cleared_find(source_code(model, line->file), line->number, &pair))
        return;
    bool is_first = line->number == pair.first;
    const struct line *other = finding_line_beside(model, line, is_first ? pair.second : pair.first);
    if ((is_first && is_worth_telling(model, other)) || (other != NULL && finding_has_line(other)) ||
        model_percent(model, saved_s(line, other)) < WASTE_PERCENT || !is_needless(model, line, &pair))
        return;
    struct finding *finding = finding_add(model, line, "redundant_store", FINDING_REPEATED_CALL);
    finding->waste_s = saved_s(line, other);
    finding->part = finding->whole = line->times.samples;
    finding->by_text = true;
    finding->by = other;
    finding->say = say;
    finding_set_context(model, finding);
}

void rule_cleared_twice(struct model *model)
{
    for (size_t i = 0; i < model->line_total; i++) {
        struct line *line = model->lines[i];
        if (line->own && is_worth_telling(model, line) && !finding_has_line(line))
            look_at(model, line);
    }
}
