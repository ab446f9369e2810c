#include "findings/loop.h"

#include <limits.h>
#include <string.h>

#include "findings/comprehension.h"
#include "findings/dispatch.h"
#include "model/source.h"
#include "python/loop_text.h"

#define FRAMES_MAX 200
#define LINES_MAX 2000 /* no longer function is looked through */

/* The code of a line behind its indentation; blank lines and those of comments and strings alone have none. */
struct statement {
    const char *text;
    size_t length_bytes, indent;
};

static struct statement statement_of(const char *text, size_t length)
{
    size_t indent = 0;
    while (text != NULL && indent < length && (text[indent] == ' ' || text[indent] == '\t'))
        indent++;
    if (text == NULL || indent == length)
        return (struct statement){0};
    return (struct statement){.text = text + indent, .length_bytes = length - indent, .indent = indent};
}

static bool begins(const struct statement *statement, const char *word)
{
    size_t length = strlen(word);
    return statement->length_bytes > length && strncmp(statement->text, word, length) == 0;
}

static bool is_loop(const struct statement *statement)
{
    return begins(statement, "for ") || begins(statement, "while ") || begins(statement, "while(") ||
           begins(statement, "async for ");
}

static bool is_definition(const struct statement *statement)
{
    return begins(statement, "def ") || begins(statement, "class ") || begins(statement, "async def ");
}

/* "[f(x) for x in y]" somewhere on the line, before a comment. */
static bool has_comprehension(const struct statement *statement)
{
    const char *comment = statement->text != NULL ? memchr(statement->text, '#', statement->length_bytes) : NULL;
    size_t length = comment != NULL ? (size_t)(comment - statement->text) : statement->length_bytes;
    const char *found = statement->text != NULL ? memmem(statement->text, length, " for ", 5) : NULL;
    return found != NULL && !is_loop(statement);
}

bool loop_has_own_frame(const struct code *code)
{
    return strstr(code->function, "comp>") != NULL || strstr(code->function, "<genexpr>") != NULL;
}

struct search {
    unsigned skip; /* loops still to be passed over */
    bool inner;
    bool once;                      /* a comprehension's frame and its function's stand in one loop, and not in two */
    struct loop found, last;        /* `last`: the outermost seen, for want of another */
    uint32_t last_frame;            /* the Python frame that stands in that */
    const struct code *code, *near; /* of the frame looked at; of that which the nearest loop stands in */
    int32_t near_line;              /* of its header */
    struct loop *loops;             /* NULL, or where all are put, comprehensions too */
    struct loop_body *bodies;       /* NULL, or where all are put, without their ends */
    size_t count, most;
    struct model *model;
    struct process *process;
    uint32_t node,
        frame; /* which the loops are around; the Python frame looked at. 0: only the loops of one frame are asked for */
    bool is_fed; /* the frame looked at calls a function that has such a loop, and goes on with what that gives */
};

/* "for f in functions: f()" goes once through each of what is called there. */
static bool is_dispatch(const struct search *search, const struct statement *header)
{
    static const size_t keyword = sizeof("for") - 1;
    struct word text = word_without_async((struct word){header->text, header->length_bytes});
    const char *in = memmem(text.text, text.length_bytes, " in ", 4);
    if (search->frame == 0 || in == NULL || !word_is(word_name_at(text.text, word_end(text)), "for"))
        return false;
    struct word targets = word_trimmed(text.text + keyword, in);
    return dispatch_is_by(search->model, search->process, search->node, search->frame, targets);
}

/* True when this loop is the one. */
static bool search_take(struct search *search, const char *file, int32_t line)
{
    struct loop loop = {.file = file, .line = line};
    if (search->once && loop_is(search->last, loop))
        return false;
    search->last = loop;
    search->last_frame = search->frame;
    if (search->bodies != NULL) {
        search->bodies[search->count++] = (struct loop_body){.code = search->code, .first = line};
        return search->count == search->most;
    }
    if (search->loops != NULL) {
        for (size_t i = 0; i < search->count; i++)
            if (loop_is(search->loops[i], loop))
                return false;
        search->loops[search->count++] = search->last;
        return search->count == search->most;
    }
    if (search->near == NULL) {
        search->near = search->code;
        search->near_line = line;
    }
    if (search->skip > 0) {
        search->skip--;
        return false;
    }
    search->found = search->last;
    return true;
}

/* "for x in xs: y = f(x)": does it stand in the body that begins on the header's row? Not known before CPython 3.11, without columns. */
static bool is_behind_header(const struct source *source, const struct line_span *span)
{
    return span->column > 0 && (size_t)span->column >= loop_text_header_bytes(source, span->line, span->line);
}

/* What a header of several rows goes through is made once, before its loop; what `while` asks, in each pass. */
static bool is_in_header(const struct source *source, int32_t header, const struct statement *statement,
                         const struct line_span *span)
{
    size_t length = 0;
    const char *first = source_line(source, header, &length), *own = source_line(source, span->line, &length);
    if (begins(statement, "while") || first == NULL || own == NULL)
        return false;
    size_t column = span->column > 0 ? (size_t)span->column : 0;
    return (size_t)(own - first) + column < loop_text_header_bytes(source, header, span->line);
}

/*
 * Does the statement's loop go through what a loop of the function called there gives, as that of a generator does, in the same passes; or
 * before it begins?
 */
static bool is_fed_by_loop(const struct search *search, const struct statement *statement)
{
    return search->is_fed && !begins(statement, "while");
}

/* The loops around one place within its function. */
static bool search_function(struct search *search, const struct source *source, const struct line_span *span)
{
    size_t length = 0;
    const int32_t number = span->line;
    const char *line = source_line(source, number, &length);
    struct statement own = statement_of(line, length);
    size_t indent = own.indent;
    if (own.text == NULL)
        return false;
    bool is_own = is_loop(&own) && ((search->inner && !is_fed_by_loop(search, &own)) || is_behind_header(source, span));
    bool may_be = search->loops != NULL && (loop_has_own_frame(search->code) || has_comprehension(&own));
    is_own = is_own ||
             (may_be && (search->frame == 0 || loop_is_comprehension(search->model, search->process, search->frame)));
    if (is_own && !is_dispatch(search, &own) && search_take(search, source->path, number))
        return true;
    for (int32_t i = number - 1; i > 0 && number - i < LINES_MAX && indent > 0; i--) {
        line = source_line_before(source, line, &length);
        struct statement statement = statement_of(line, length);
        if (statement.text == NULL || statement.indent >= indent)
            continue;
        indent = statement.indent;
        if (is_definition(&statement))
            return false;
        if (is_loop(&statement) && !is_in_header(source, i, &statement, span) && !is_dispatch(search, &statement) &&
            search_take(search, source->path, i))
            return true;
    }
    return false;
}

/* Each pass of a loop calls it anew. */
static bool is_next(const struct code *code)
{
    static const char name[] = "__next__";
    size_t length = strlen(code->function), own = sizeof(name) - 1;
    return length >= own && strcmp(code->function + length - own, name) == 0;
}

/* True when it is found; `last` is filled either way. */
static bool search_frames(struct search *search, struct model *model, struct process *process, uint32_t node_id)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    search->model = model;
    search->process = process;
    search->node = node_id;
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        struct code *code;
        struct line_span span =
            record->frame == DB_FRAME_PYTHON ? model_position(model, process, record, &code) : (struct line_span){0};
        struct loop before = search->last;
        bool is_own = span.line > 0 && code != NULL && code->owner == OWNER_USER;
        if (span.line > 0)
            search->code = code;
        search->frame = node_id;
        if (is_own && search_function(search, source_code(model, code->file), &span))
            return true;
        if (span.line > 0)
            search->is_fed = is_own && !loop_is(before, search->last) && !is_next(code);
        node_id = record->parent;
        record = run_record(process->run, DB_KIND_NODE, node_id);
    }
    return false;
}

struct loop loop_around(struct model *model, struct process *process, uint32_t node_id, bool inner)
{
    struct search search = {.skip = inner ? 1 : 0, .inner = inner};
    return search_frames(&search, model, process, node_id) ? search.found : search.last;
}

struct loop loop_outermost_frame(struct model *model, struct process *process, uint32_t node_id, uint32_t *frame)
{
    struct search search = {.skip = UINT_MAX};
    search_frames(&search, model, process, node_id);
    *frame = search.last_frame;
    return search.last;
}

struct loop loop_outermost(struct model *model, struct process *process, uint32_t node_id)
{
    uint32_t frame;
    return loop_outermost_frame(model, process, node_id, &frame);
}

size_t loops_around(struct model *model, struct process *process, uint32_t node_id, struct loop *loops, size_t most)
{
    struct search search = {.inner = true, .once = true, .loops = loops, .most = most};
    search_frames(&search, model, process, node_id);
    return search.count;
}

/* The last line that is indented more than the loop's header. */
static int32_t body_end(const struct source *source, int32_t header)
{
    size_t length = 0;
    const char *line = source_line(source, header, &length);
    struct statement statement = statement_of(line, length);
    size_t indent = statement.indent;
    int32_t last = header;
    for (int32_t i = header + 1; i - header < LINES_MAX; i++) {
        line = source_line(source, i, &length);
        if (line == NULL)
            break;
        statement = statement_of(line, length);
        if (statement.text == NULL)
            continue;
        if (statement.indent <= indent)
            break;
        last = i;
    }
    return last;
}

size_t loop_bodies_around(struct model *model, struct process *process, uint32_t node_id, struct loop_body *bodies,
                          size_t most)
{
    struct search search = {.inner = true, .once = true, .bodies = bodies, .most = most};
    search_frames(&search, model, process, node_id);
    for (size_t i = 0; i < search.count; i++)
        bodies[i].last = body_end(source_code(model, bodies[i].code->file), bodies[i].first);
    return search.count;
}

/* In the function of a frame; its source, NULL where no text is known. */
static const struct source *search_frame(struct search *search, struct model *model, struct process *process,
                                         uint32_t node_id, bool *found)
{
    struct code *code = NULL;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    *found = false;
    if (record == NULL || record->frame != DB_FRAME_PYTHON)
        return NULL;
    struct line_span span = model_position(model, process, record, &code);
    const struct source *source = code != NULL && span.line > 0 ? source_get(model, code->file) : NULL;
    search->code = code;
    *found = source != NULL && search_function(search, source, &span);
    return source;
}

static bool find_in_frame(struct model *model, struct process *process, uint32_t node_id, bool inner,
                          struct loop_body *body)
{
    struct search search = {.inner = inner};
    bool found;
    const struct source *source = search_frame(&search, model, process, node_id, &found);
    if (found)
        *body = (struct loop_body){
            .code = search.code, .first = search.near_line, .last = body_end(source, search.near_line)};
    return found;
}

bool loop_of_frame(struct model *model, struct process *process, uint32_t node_id, struct loop_body *body)
{
    return find_in_frame(model, process, node_id, true, body);
}

bool loop_of_frame_beyond(struct model *model, struct process *process, uint32_t node_id, struct loop_body *body)
{
    return find_in_frame(model, process, node_id, false, body);
}

struct loop loop_outermost_in(struct model *model, struct process *process, uint32_t node_id)
{
    struct search search = {.skip = UINT_MAX};
    bool found;
    search_frame(&search, model, process, node_id, &found);
    return search.last;
}

/* The statement a Python frame's line begins, and its code; text NULL where it is not known. */
static struct statement frame_statement(struct model *model, struct process *process, uint32_t node_id,
                                        struct code **code)
{
    size_t length = 0;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    *code = NULL;
    if (record == NULL || record->frame != DB_FRAME_PYTHON)
        return (struct statement){0};
    struct line_span span = model_position(model, process, record, code);
    const char *line = *code != NULL ? source_line(source_code(model, (*code)->file), span.line, &length) : NULL;
    return statement_of(line, length);
}

bool loop_is_comprehension(struct model *model, struct process *process, uint32_t node_id)
{
    struct code *code;
    struct comprehension comprehension;
    struct statement statement = frame_statement(model, process, node_id, &code);
    if (code == NULL || loop_has_own_frame(code) || !has_comprehension(&statement))
        return code != NULL && loop_has_own_frame(code);
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, node_id), &code);
    return span.column < 0 ||
           (comprehension_of_frame(model, process, node_id, &comprehension) && !comprehension.is_in_header);
}

bool loop_is_header(struct model *model, struct process *process, uint32_t node_id)
{
    struct code *code;
    struct statement statement = frame_statement(model, process, node_id, &code);
    if (!is_loop(&statement))
        return false;
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, node_id), &code);
    return !is_behind_header(source_code(model, code->file), &span);
}
