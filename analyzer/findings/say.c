/* Parts of the sentences of findings. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/comprehension.h"
#include "findings/draws.h"
#include "findings/loop.h"
#include "findings/sites.h"
#include "model/source.h"
#include "show/page.h"
#include "show/text_parts.h"

#define EXPRESSIONS_MAX 3u /* so many are named */
#define EXPRESSION_COLUMNS_MAX 40

char *say_place(const struct model *model, const char *file, int32_t line)
{
    char *path = text_path(model, file), *text = memory_print("%s:%d", path, line);
    free(path);
    return text;
}

char *say_loop(struct model *model, const struct finding *finding)
{
    struct loop_body loop = {.first = finding->line->number};
    struct comprehension comprehension;
    uint32_t frame = lines_frame_of_leaf(model, finding->process, finding->node); /* not a wrapper's below it */
    bool is_loop = !comprehension_of_frame(model, finding->process, frame, &comprehension);
    if (is_loop)
        loop_of_frame(model, finding->process, frame, &loop);
    char *place = say_place(model, finding->line->file, is_loop ? loop.first : comprehension.line);
    char *text = memory_print("the %s at %s", is_loop ? "loop" : "comprehension", place);
    free(place);
    return text;
}

char *say_rows(const struct model *model, const char *file, const int32_t *rows, size_t count)
{
    char *text = say_place(model, file, rows[0]);
    for (size_t i = 1; i < count; i++) {
        char *longer = memory_print("%s%s %d", text, i + 1 == count ? " and" : ",", rows[i]);
        free(text);
        text = longer;
    }
    return text;
}

char *say_handed(const struct model *model, const struct changed *changed)
{
    if (changed->handed.length_bytes == 0)
        return memory_print("%s", "");
    char *place = say_place(model, changed->file, changed->handed_line);
    char *function = text_printable(changed->handed.text, changed->handed.length_bytes);
    char *text = memory_print(" %s() at %s, which is handed it, must not change it in place.", function, place);
    free(place);
    free(function);
    return text;
}

char *say_part(struct model *model, const struct finding *finding)
{
    const struct site *site = finding->second;
    struct code *code = NULL;
    uint32_t line = lines_frame_of_leaf(model, site->process, site->record->node);
    uint32_t part = callers_frame(site->process, site->record->node);
    if (part == 0 || part == line) /* the foundations themselves */
        part = model_node(site->process, site->record->node)->python;
    const struct db_node *record = run_record(site->process->run, DB_KIND_NODE, part);
    bool is_part = finding->part_of_call || draws_by_covariance(model, site);
    if (!is_part || record == NULL || part == line)
        return NULL;
    struct line_span span = model_position(model, site->process, record, &code);
    if (code == NULL)
        return NULL;
    char *place = say_place(model, code->file, span.line);
    char *function = text_printable(code->function, strlen(code->function));
    char *text = memory_print("%s at %s", function, place);
    free(function);
    free(place);
    return text;
}

char *say_part_advice(bool once)
{
    return memory_print("Not all results of the call were seen to be equal: hand it what that part makes, made %s, or "
                        "keep it there.",
                        once ? "once" : "where its inputs change");
}

char *say_others(const struct finding_object *object)
{
    char *made = page_count(object->apart_made), *examined = page_count(object->apart_examined);
    char *equal = page_count(object->apart_equal);
    bool all = object->apart_examined >= object->apart_made;
    char *apart = object->apart_made == 0
                      ? memory_print("%s", "")
                      : memory_print("; of %s more%s%s%s %s equal to an earlier one", made, all ? "" : ", ",
                                     all ? "" : examined, all ? "" : " of them looked at,", equal);
    char *text = object->sizes <= 1 ? memory_print("%s", apart)
                                    : memory_print("%s; %" PRIu64 " other size%s likewise", apart, object->sizes - 1,
                                                   object->sizes == 2 ? "" : "s");
    free(made);
    free(examined);
    free(equal);
    free(apart);
    return text;
}

/* The text of an expression, or its beginning. Fresh memory. */
static char *say_expression(const char *text, size_t length, const struct line_span *span)
{
    size_t from = (size_t)span->column < length ? (size_t)span->column : length;
    size_t to = (size_t)span->end_column < length ? (size_t)span->end_column : length;
    char *printable = text_printable(text + from, to - from), *cut = text_cut(printable, EXPRESSION_COLUMNS_MAX);
    free(printable);
    return cut;
}

char *say_span(const struct model *model, const char *file, const struct line_span *span)
{
    size_t length = 0;
    const char *text = source_line(source_get(model, file), span->line, &length);
    bool is_known =
        text != NULL && span->column >= 0 && span->end_line == span->line && span->end_column > span->column;
    return is_known ? say_expression(text, length, span) : NULL;
}

/* "A, B and C", of some spans of one row. Fresh memory; NULL where no text is known. */
static char *say_spans(const struct model *model, const struct finding *finding, const struct line_span *spans,
                       size_t count)
{
    size_t length = 0;
    const char *text = source_line(source_get(model, finding->line->file), spans[0].line, &length);
    char *said = NULL;
    for (size_t i = 0; text != NULL && i < count && i < EXPRESSIONS_MAX; i++) {
        char *expression = say_expression(text, length, &spans[i]);
        const char *sign = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        char *longer = memory_print("%s%s%s", said != NULL ? said : "", sign, expression);
        free(expression);
        free(said);
        said = longer;
    }
    if (said == NULL || count <= EXPRESSIONS_MAX)
        return said;
    char *whole = memory_print("%s and others", said);
    free(said);
    return whole;
}

char *say_parts(const struct model *model, const struct finding *finding)
{
    const struct finding_parts *parts = &finding->parts;
    if (parts->count < 2)
        return memory_print("%s", "");
    char *spans = say_spans(model, finding, parts->spans, parts->count);
    char *said = memory_print(" It speaks of %zu parts of the line, each by itself%s%s.", parts->count,
                              spans != NULL ? ": " : "", spans != NULL ? spans : "");
    free(spans);
    return said;
}

char *say_what(const struct model *model, const struct finding *finding)
{
    const struct finding_parts *parts = &finding->parts;
    bool is_known = parts->count > 0 || (finding->span.column >= 0 && finding->span.end_line == finding->span.line);
    char *spans = !is_known          ? NULL
                  : parts->count > 0 ? say_spans(model, finding, parts->spans, parts->count)
                                     : say_spans(model, finding, &finding->span, 1);
    return spans != NULL ? spans : memory_print("another part of the line");
}

char *say_made(const struct finding_object *object, const char *by)
{
    char *maker = by != NULL ? memory_print(" by %s", by) : memory_print("%s", "");
    char *size = page_bytes(object->size_bytes), *made = page_times(object->made);
    char *examined = page_count(object->examined);
    const char *about = object->about ? "about " : "";
    const char *known = object->followed        ? "followed throughout"
                        : object->undecided > 0 ? "known for sure"
                                                : "looked at";
    char *text = object->examined == object->made
                     ? memory_print("%s made %s%s", size, made, maker)
                     : memory_print("%s made %s%s%s, %s of them %s", size, about, made, maker, examined, known);
    free(maker);
    free(size);
    free(made);
    free(examined);
    return text;
}
