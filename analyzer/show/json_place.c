/* Where something is: a line, a way there. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/frames.h"
#include "model/source.h"
#include "show/json_parts.h"

static json_t *json_frame(const struct frame *frame)
{
    json_t *object = json_object();
    static const char *const kinds[] = {"python", "native", "gap"};
    json_object_set_new(object, "kind", json_string(kinds[frame->kind]));
    json_object_set_new(object, "function", json_text(frame->function));
    json_object_set_new(object, "file", json_text(frame->file));
    json_object_set_new(object, "line", frame->line > 0 ? json_integer(frame->line) : json_null());
    if (frame->kind != FRAME_NATIVE)
        return object;
    json_object_set_new(object, "library", json_text(frame->library));
    json_object_set_new(object, "inlined", json_boolean(frame->inlined));
    json_object_set_new(object, "trouble", json_text(frame->trouble));
    return object;
}

json_t *json_context(struct model *model, const struct process *process, const struct line *line, uint32_t node)
{
    struct context context;
    json_t *object = json_object(), *frames = json_array();
    context_expand(&context, model, (struct process *)(uintptr_t)process, node);
    for (size_t i = 0; i < context.count; i++)
        json_array_append_new(frames, json_frame(&context.frames[i]));
    json_object_set_new(object, "file", json_text(line != NULL ? line->file : NULL));
    json_object_set_new(object, "line", line != NULL ? json_integer(line->number) : json_null());
    json_object_set_new(object, "function", json_text(line != NULL ? line->function : NULL));
    json_object_set_new(object, "thread", json_string(context.thread));
    json_object_set_new(object, "phase", json_phase(node_phase(process, model_node(process, node))));
    json_object_set_new(object, "frames", frames);
    context_free(&context);
    return object;
}

/* Byte columns from 0 as CPython has them; null where the place is not on one line. */
static json_t *json_columns(const struct line_span *span)
{
    if (span->column < 0 || span->end_column <= span->column || span->end_line != span->line)
        return json_null();
    return json_pack("[i,i]", span->column, span->end_column);
}

static json_t *json_caller(const struct line *caller)
{
    if (caller == NULL)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "file", json_text(caller->file));
    json_object_set_new(object, "line", json_integer(caller->number));
    json_object_set_new(object, "function", json_text(caller->function));
    return object;
}

static void json_put_source(json_t *object, const struct model *model, const struct line *line)
{
    static const char *const states[] = {"same", "changed", "gone", "disk", "none", "changed"};
    const struct source *source = source_get(model, line->file);
    size_t length = 0;
    const char *text = source_line(source, line->number, &length);
    char *valid = text != NULL ? text_valid(text, length) : NULL;
    json_object_set_new(object, "text", json_text(valid));
    json_object_set_new(object, "source", json_string(states[source->state]));
    free(valid);
}

void json_put_place(json_t *object, const struct model *model, const struct line *line, const struct line_span *span)
{
    json_object_set_new(object, "file", json_text(line->file));
    json_object_set_new(object, "path", json_text(source_repository_path(line->file)));
    json_object_set_new(object, "line", json_integer(line->number));
    json_object_set_new(object, "columns", json_columns(span));
    json_object_set_new(object, "function", json_text(line->function));
    json_object_set_new(object, "caller", json_caller(line->caller));
    json_put_source(object, model, line);
}
