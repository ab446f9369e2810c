#include "findings/nearest_loop.h"

#include <string.h>

#include "findings/comprehension.h"
#include "findings/definitions.h"
#include "findings/expression.h"
#include "findings/spot_text.h"
#include "model/source_code.h"
#include "python/words.h"

#define FRAMES_MAX 200

/* Builtins, and NumPy's functions, that call what they are handed once for each item. */
static bool calls_for_each(struct model *model, struct process *process, uint32_t frame)
{
    static const char *const names[] = {"map",    "filter",  "min",      "max",          "sorted",          "sort",
                                        "sum",    "any",     "all",      "list",         "tuple",           "set",
                                        "reduce", "starmap", "fromiter", "fromfunction", "apply_along_axis"};
    struct operation operation = operation_at(model, process, frame);
    return operation.kind == OPERATION_CALL &&
           WORD_IS_ONE_OF(word_last_part((struct word){operation.name, operation.length_bytes}), names);
}

/* PyTorch's code around a module's forward(), containers of modules, and what a decorator of its stands before run each once. */
static bool calls_once(const struct code *code)
{
    return code->owner == OWNER_FOUNDATION &&
           (strstr(code->file, "/torch/nn/modules/") != NULL || strcmp(definition_name(code), "decorate_context") == 0);
}

/* Is what stands there done in each round of that loop? A `for` header is not, and is part of its first row. */
static bool is_in_round(const struct source *source, const struct line_span *span, const struct loop_body *body)
{
    static const char header[] = "while";
    if (span->line != body->first)
        return true;
    struct word row;
    row.text = source_line(source, body->first, &row.length_bytes);
    row = row.text != NULL ? word_trimmed(row.text, word_end(row)) : (struct word){header, 0};
    return word_is(word_name_at(row.text, word_end(row)), header) || !spot_text_is_in_header(source, span, body);
}

/* Is what stands there done for each item of a comprehension? Without columns (before CPython 3.11) any on its line is taken for that. */
static bool is_in_comprehension(struct model *model, struct process *process, uint32_t frame, const struct code *code,
                                const struct line_span *span)
{
    struct comprehension comprehension;
    if (loop_has_own_frame(code) || span->column < 0)
        return loop_is_comprehension(model, process, frame);
    return comprehension_of_frame(model, process, frame, &comprehension) && !comprehension.is_in_header;
}

/* Of the user's function that the frame is of. */
static struct loop loop_in(struct model *model, struct process *process, uint32_t frame, const struct code *code,
                           const struct line_span *span, bool block)
{
    struct loop_body body;
    if (!block && is_in_comprehension(model, process, frame, code, span))
        return (struct loop){code->file, span->line, true};
    if (!loop_of_frame(model, process, frame, &body))
        return (struct loop){0};
    if (is_in_round(source_get(model, code->file), span, &body))
        return (struct loop){code->file, body.first, false};
    struct loop_body around;
    return loop_of_frame_beyond(model, process, frame, &around) ? (struct loop){code->file, around.first, false}
                                                                : (struct loop){0};
}

/* `block`: a loop with a block of its own. */
static struct loop nearest(struct model *model, struct process *process, uint32_t node_id, bool block)
{
    const struct loop none = {0};
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    bool is_called = false; /* a frame of the user's was passed... */
    bool is_unseen = false; /* ... and one of a library's, that called it */
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        struct code *code = NULL;
        struct line_span span =
            record->frame == DB_FRAME_PYTHON ? model_position(model, process, record, &code) : (struct line_span){0};
        if (code != NULL && code->owner == OWNER_USER && span.line > 0) {
            struct loop loop = loop_in(model, process, node_id, code, &span, block);
            if (is_unseen || (is_called && !loop.is_comprehension && calls_for_each(model, process, node_id)))
                return none;
            if (loop.file != NULL)
                return loop;
            is_called = true;
        } else if (record->frame == DB_FRAME_PYTHON) {
            is_unseen = is_called && (is_unseen || code == NULL || !calls_once(code));
        }
        node_id = record->parent;
        record = run_record(process->run, DB_KIND_NODE, node_id);
    }
    return none;
}

struct loop loop_nearest(struct model *model, struct process *process, uint32_t node_id)
{
    return nearest(model, process, node_id, false);
}

struct loop loop_nearest_block(struct model *model, struct process *process, uint32_t node_id)
{
    return nearest(model, process, node_id, true);
}
