#include "findings/arguments.h"

#include "findings/expression.h"
#include "model/source.h"
#include "python/region.h"
#include "python/same_value.h"
#include "python/scope.h"

/* The Python frame at the node or around it; 0: there is none. */
static uint32_t frame_from(const struct process *process, uint32_t node_id)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (; record != NULL && record->frame != DB_FRAME_PYTHON; record = run_record(process->run, DB_KIND_NODE, node_id))
        node_id = record->parent;
    return record != NULL ? node_id : 0;
}

static uint32_t outer(const struct process *process, uint32_t frame)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    return record != NULL ? frame_from(process, record->parent) : 0;
}

static bool stand_at_one(struct model *model, struct process *process, uint32_t one, uint32_t other)
{
    struct code *code = NULL, *other_code = NULL;
    struct line_span a = model_position(model, process, run_record(process->run, DB_KIND_NODE, one), &code),
                     b = model_position(model, process, run_record(process->run, DB_KIND_NODE, other), &other_code);
    return code != NULL && code == other_code && a.line == b.line && a.column == b.column;
}

/* Of the function that the frame's line stands in; of the module all. */
static struct word rows_around(struct model *model, struct process *process, uint32_t frame)
{
    struct code *code = NULL;
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, frame), &code);
    const struct source *source = source_code(model, code->file);
    int32_t def = scope_function(source, span.line);
    if (def == 0)
        return (struct word){source->text, source->length_bytes};
    struct region_span body = region_function(source, def);
    return region_rows(&body);
}

bool arguments_differ(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node)
{
    uint32_t one = frame_from(process, first_node), other = frame_from(process, second_node);
    struct word first, second;
    while (one != 0 && other != 0 && one != other && stand_at_one(model, process, one, other)) {
        one = outer(process, one);
        other = outer(process, other);
    }
    if (one == 0 || other == 0 || one == other)
        return false;
    const struct db_node *a = run_record(process->run, DB_KIND_NODE, one),
                         *b = run_record(process->run, DB_KIND_NODE, other);
    if (a->parent != b->parent || a->value >> 32 != b->value >> 32)
        return false;
    first.text = operation_text(model, process, one, &first.length_bytes);
    second.text = operation_text(model, process, other, &second.length_bytes);
    return first.text != NULL && second.text != NULL && values_differ(rows_around(model, process, one), first, second);
}
