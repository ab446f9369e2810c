#include "findings/expression.h"

#include "model/source.h"

#define TEXT_MAX 2000

bool expression_place(struct model *model, struct process *process, uint32_t node_id, struct expression_place *place)
{
    struct code *code;
    size_t length, last_length;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    if (record == NULL || record->frame != DB_FRAME_PYTHON)
        return false;
    struct line_span span = model_position(model, process, record, &code);
    if (code == NULL || span.column < 0 || span.end_column < 0)
        return false;
    const struct source *source = source_get(model, code->file);
    const char *first = source_line(source, span.line, &length),
               *last = source_line(source, span.end_line, &last_length);
    if (first == NULL || last == NULL || (size_t)span.column > length || (size_t)span.end_column > last_length)
        return false;
    *place = (struct expression_place){
        .line = first, .start = first + span.column, .end = last + span.end_column, .line_end = last + last_length};
    return true;
}

const char *operation_text(struct model *model, struct process *process, uint32_t node_id, size_t *length_bytes)
{
    struct expression_place place;
    if (!expression_place(model, process, node_id, &place) || place.end <= place.start ||
        place.end - place.start > TEXT_MAX)
        return NULL;
    *length_bytes = (size_t)(place.end - place.start);
    return place.start;
}

const char *operation_code(struct model *model, struct process *process, uint32_t node_id, size_t *length_bytes,
                           const struct source **code)
{
    struct code *own = NULL;
    const char *text = operation_text(model, process, node_id, length_bytes);
    if (text == NULL)
        return NULL;
    model_position(model, process, run_record(process->run, DB_KIND_NODE, node_id), &own);
    *code = source_code(model, own->file);
    return (*code)->text + (text - source_get(model, own->file)->text);
}

struct operation operation_at(struct model *model, struct process *process, uint32_t node_id)
{
    size_t length = 0;
    const char *text = operation_text(model, process, node_id, &length);
    return text != NULL ? operation_of(text, length) : (struct operation){0};
}
