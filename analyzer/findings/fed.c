#include "findings/fed.h"

#include "findings/comprehension.h"
#include "findings/expression.h"
#include "findings/operand_time.h"
#include "python/handed.h"

#define FRAMES_MAX 200

/* The call, and where it stands. */
struct taker {
    struct process *process;
    const struct db_node *frame;
    struct line_span span;
    const char *file;
};

/* Functions whose result holds just what they are handed. */
static bool makes_array_of(const struct operation *operation)
{
    static const char *const names[] = {
        "array",       "asarray",   "asanyarray",  "fromiter",         "tensor", "as_tensor",    "stack",      "vstack",
        "hstack",      "dstack",    "concatenate", "concat",           "cat",    "column_stack", "LongTensor", "Tensor",
        "FloatTensor", "IntTensor", "matrix",      "ascontiguousarray"};
    struct word name = {operation->name, operation->length_bytes};
    return operation->kind == OPERATION_CALL && WORD_IS_ONE_OF(name, names);
}

static bool read_taker(struct model *model, const struct place *place, struct taker *taker)
{
    const struct site *site = place->sites;
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    struct operation operation = operation_at(model, site->process, frame);
    struct code *code = NULL;
    taker->process = site->process;
    taker->frame = run_record(site->process->run, DB_KIND_NODE, frame);
    if (taker->frame == NULL || !makes_array_of(&operation))
        return false;
    taker->span = model_position(model, site->process, taker->frame, &code);
    taker->file = code != NULL ? code->file : NULL;
    return taker->span.column >= 0;
}

static bool holds(const struct line_span *span, int32_t line, int32_t column)
{
    bool behind = line > span->line || (line == span->line && column >= span->column);
    bool before = line < span->end_line || (line == span->end_line && column < span->end_column);
    return behind && before;
}

static bool is_of_function(const struct taker *taker, const struct db_node *record)
{
    return record->frame == DB_FRAME_PYTHON && record->parent == taker->frame->parent &&
           record->value >> 32 == taker->frame->value >> 32;
}

/* Does the frame run a comprehension that stands in the call, and does nothing but make its elements? What it calls may do more. */
static bool is_argument(struct model *model, const struct taker *taker, uint32_t frame)
{
    struct comprehension comprehension;
    return comprehension_of_frame(model, taker->process, frame, &comprehension) &&
           !handed_calls_others(comprehension.element) && !handed_calls_others(comprehension.clauses) &&
           comprehension.code->file == taker->file && holds(&taker->span, comprehension.line, comprehension.column);
}

/* A list is made before the call, by the function's own frame (from CPython 3.12 on) or by one that it calls; a generator runs below the call. */
static bool is_fed(struct model *model, const struct taker *taker, uint32_t node_id)
{
    const struct db_node *record = run_record(taker->process->run, DB_KIND_NODE, node_id);
    uint32_t called = 0;
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        if (is_of_function(taker, record))
            return is_argument(model, taker, node_id) || (called != 0 && is_argument(model, taker, called));
        called = record->frame == DB_FRAME_PYTHON ? node_id : called;
        node_id = record->parent;
        record = run_record(taker->process->run, DB_KIND_NODE, node_id);
    }
    return false;
}

struct fed fed_time(struct model *model, const struct place *place)
{
    struct taker taker;
    struct fed fed = {0};
    if (!read_taker(model, place, &taker))
        return fed;
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&taker.process->run->tables[DB_KIND_NODE], &cursor)) != NULL;)
        if (record->cpu_ns > 0 && !taker.process->nodes[cursor.index].in_import &&
            objects_place_charged(model, taker.process, (uint32_t)cursor.id) == NULL &&
            is_fed(model, &taker, (uint32_t)cursor.id) &&
            operand_time_tell(model, taker.process, (uint32_t)cursor.id)) {
            fed.ns += record->cpu_ns;
            fed.samples += record->samples;
        }
    return fed;
}
