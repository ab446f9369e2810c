#include "findings/comprehension.h"

#include <string.h>

#include "model/source.h"

#define FRAMES_MAX 200
#define REACH_BYTES 4000 /* so far back a bracket is looked for, and so far on the end of one */

static bool opens(char c)
{
    return c == '(' || c == '[' || c == '{';
}

static bool closes(char c)
{
    return c == ')' || c == ']' || c == '}';
}

static bool is_word(const char *at, const char *begin, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 && (at == begin || !word_char(at[-1])) &&
           (at + length == end || !word_char(at[length]));
}

/* Of the bracket at `open`, in text without strings and comments. False where it does not close, or nothing is gone through. */
static bool read_bracket(const char *open, const char *end, struct comprehension *comprehension)
{
    const char *clauses = NULL;
    size_t depth = 0;
    end = end - open > REACH_BYTES ? open + REACH_BYTES : end;
    for (const char *at = open; at < end; at++) {
        depth += opens(*at);
        depth -= closes(*at);
        if (depth == 0) {
            if (clauses == NULL)
                return false;
            comprehension->element = (struct word){open + 1, (size_t)(clauses - open - 1)};
            comprehension->clauses = (struct word){clauses, (size_t)(at - clauses)};
            return true;
        }
        if (depth == 1 && clauses == NULL && is_word(at, open, end, "for"))
            clauses = at;
    }
    return false;
}

/* A condition is asked in each round. */
static bool is_in_header(const struct comprehension *comprehension, const char *place)
{
    const char *begin = comprehension->clauses.text, *end = begin + comprehension->clauses.length_bytes;
    bool is_header = false;
    size_t depth = 0;
    for (const char *at = begin; at < end && at <= place; at++) {
        depth += opens(*at);
        depth -= closes(*at);
        if (depth == 0 && is_word(at, begin, end, "for"))
            is_header = true;
        if (depth == 0 && is_word(at, begin, end, "if"))
            is_header = false;
    }
    return is_header;
}

/* Does the row at `at` begin a statement, by a word that begins no row within brackets? They all are closed then. */
static bool begins_statement(const char *at, const char *end)
{
    static const char *const words[] = {"def",  "class", "return", "with",  "while", "import",
                                        "elif", "try",   "raise",  "break", "pass",  "continue"};
    const char *first = word_skip_blanks(at, end);
    return first < end && WORD_IS_ONE_OF(word_name_at(first, end), words);
}

/* From the inside out: the brackets around [start, end). */
static const char *find_around(const char *text, const char *text_end, const char *start, const char *end,
                               struct comprehension *comprehension)
{
    size_t depth = 0;
    for (const char *at = start; at > text && start - at < REACH_BYTES; at--) {
        char c = at[-1];
        if (c == '\n' && begins_statement(at, text_end))
            return NULL;
        if (closes(c))
            depth++;
        else if (opens(c) && depth > 0)
            depth--;
        else if (opens(c) && read_bracket(at - 1, text_end, comprehension) &&
                 comprehension->clauses.text + comprehension->clauses.length_bytes >= end)
            return at - 1;
    }
    return NULL;
}

static const char *at_place(const struct source *source, int32_t line, int32_t column)
{
    size_t length = 0;
    const char *text = source_line(source, line, &length);
    return text != NULL && column >= 0 && (size_t)column <= length ? text + column : NULL;
}

/* "any(", "next((" */
static bool ends_early(const char *text, const char *open)
{
    static const char *const names[] = {"next", "any", "all"};
    const char *end = open;
    while (end > text && (end[-1] == '(' || end[-1] == ' '))
        end--;
    const char *first = end;
    while (first > text && (word_char(first[-1]) || first[-1] == '.'))
        first--;
    return *open == '(' && WORD_IS_ONE_OF(((struct word){first, (size_t)(end - first)}), names);
}

/* Where the bracket stands: counted back from the place, whose line is known. */
static void set_position(struct comprehension *comprehension, const char *text, const char *open, const char *start,
                         int32_t line)
{
    for (const char *at = open; at < start; at++)
        line -= *at == '\n' ? 1 : 0;
    const char *first = open;
    while (first > text && first[-1] != '\n')
        first--;
    comprehension->line = line;
    comprehension->column = (int32_t)(open - first);
}

/* What a Python frame does, in the code that it stands in. */
struct doing {
    const struct code *code;
    const struct source *source;
    const char *start, *end;
    int32_t line;
};

static bool doing_of_frame(struct model *model, struct process *process, uint32_t node_id, struct doing *doing)
{
    struct code *code = NULL;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    if (record == NULL || record->frame != DB_FRAME_PYTHON)
        return false;
    struct line_span span = model_position(model, process, record, &code);
    if (code == NULL || span.line <= 0)
        return false;
    *doing = (struct doing){.code = code, .source = source_code(model, code->file), .line = span.line};
    doing->start = at_place(doing->source, span.line, span.column);
    doing->end = at_place(doing->source, span.end_line, span.end_column);
    return doing->start != NULL && doing->end != NULL && doing->end > doing->start;
}

static const char *text_end(const struct doing *doing)
{
    return doing->source->text + doing->source->length_bytes;
}

static bool is_whole(const struct doing *doing, struct comprehension *comprehension)
{
    return opens(*doing->start) && read_bracket(doing->start, text_end(doing), comprehension) &&
           word_end(comprehension->clauses) + 1 == doing->end;
}

/* The innermost one whose bracket opens before that and closes behind it: where that is; NULL where there is none. */
static const char *enclosing(const struct doing *doing, struct comprehension *comprehension)
{
    *comprehension = (struct comprehension){.code = doing->code};
    const char *open = find_around(doing->source->text, text_end(doing), doing->start, doing->end, comprehension);
    if (open != NULL)
        comprehension->is_in_header = is_in_header(comprehension, doing->start);
    return open;
}

bool comprehension_of_frame(struct model *model, struct process *process, uint32_t node_id,
                            struct comprehension *comprehension)
{
    struct doing doing;
    if (!doing_of_frame(model, process, node_id, &doing))
        return false;
    *comprehension = (struct comprehension){.code = doing.code, .is_in_header = true};
    const char *open = is_whole(&doing, comprehension) ? doing.start : enclosing(&doing, comprehension);
    if (open == NULL)
        return false;
    comprehension->ends_early = ends_early(doing.source->text, open);
    set_position(comprehension, doing.source->text, open, doing.start, doing.line);
    return true;
}

/* How many loops it has. */
static size_t clause_count(const struct comprehension *comprehension)
{
    const char *begin = comprehension->clauses.text, *end = begin + comprehension->clauses.length_bytes;
    size_t depth = 0, count = 0;
    for (const char *at = begin; at < end; at++) {
        depth += opens(*at);
        depth -= closes(*at);
        count += depth == 0 && is_word(at, begin, end, "for");
    }
    return count;
}

/* Those of user code that call what leads to a frame, from the inside out. */
struct around {
    struct comprehension outermost;
    size_t loops; /* of all of them */
};

/* Of one frame, those around what it does: the innermost alone where that has a frame of its own, the others stand around its caller. */
static void add_around(struct around *around, struct doing doing)
{
    struct comprehension comprehension;
    const char *open;
    while ((open = enclosing(&doing, &comprehension)) != NULL) {
        set_position(&comprehension, doing.source->text, open, doing.start, doing.line);
        if (!comprehension.is_in_header) {
            around->outermost = comprehension;
            around->loops += clause_count(&comprehension);
        }
        if (loop_has_own_frame(doing.code))
            return;
        doing.line = comprehension.line;
        doing.start = open;
        doing.end = word_end(comprehension.clauses) + 1;
    }
}

static struct around around_of(struct model *model, struct process *process, uint32_t node_id)
{
    struct around around = {.loops = 0};
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        struct doing doing;
        node_id = record->parent;
        record = run_record(process->run, DB_KIND_NODE, node_id);
        if (doing_of_frame(model, process, node_id, &doing) && doing.code->owner == OWNER_USER)
            add_around(&around, doing);
    }
    return around;
}

struct loop comprehension_outermost(struct model *model, struct process *process, uint32_t node_id)
{
    struct around around = around_of(model, process, node_id);
    const struct comprehension *outermost = &around.outermost;
    return around.loops > 0 ? (struct loop){outermost->code->file, outermost->line, true} : (struct loop){0};
}

bool comprehension_is_nested(struct model *model, struct process *process, uint32_t node_id)
{
    return around_of(model, process, node_id).loops > 1;
}
