#include "findings/kept_ways.h"

#include <ctype.h>
#include <string.h>

#include "findings/expression.h"
#include "findings/inputs_cache.h"
#include "findings/statement.h"
#include "python/code_facts.h"
#include "python/code_index.h"
#include "python/scope.h"

#define PARAMETERS_MAX 32u
#define FRAMES_MAX 200

/* The instruction's text in code without strings. */
static struct word call_of(struct model *model, struct process *process, uint32_t node_id, const struct code *code)
{
    struct expression_place place;
    if (!expression_place(model, process, node_id, &place) || place.end <= place.start)
        return (struct word){NULL, 0};
    const struct source *text = source_get(model, code->file), *twin = source_code(model, code->file);
    return (struct word){twin->text + (place.start - text->text), (size_t)(place.end - place.start)};
}

static struct kept_level level_of(struct model *model, struct process *process, uint32_t node_id)
{
    struct kept_level level = {.code = NULL};
    struct code *code = NULL;
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, node_id), &code);
    if (code == NULL || code->owner != OWNER_USER || span.line <= 0)
        return level;
    level.is_unread = true;
    const struct source *source = source_code(model, code->file);
    level.row = source->text != NULL ? code_index_statement(inputs_cache_code(model, source), span.line) : 0;
    if (level.row == 0)
        return level;
    level.def = scope_function(source, level.row);
    level.file = code->file;
    level.text = source_get(model, code->file);
    level.call = call_of(model, process, node_id, code);
    const char *dot = strrchr(code->function, '.');
    const char *name = dot != NULL ? dot + 1 : code->function;
    bool is_it = level.def > 0 ? word_is(code_name_of(source, level.def), name) : strcmp(name, "<module>") == 0;
    level.code = is_it && level.call.text != NULL ? source : NULL;
    /* Another name than its "def" has is one that some tool gave it: its text is known. */
    level.is_unread = level.code == NULL && (is_it || *name == '<');
    return level;
}

void kept_ways_find(struct kept_ways *ways, struct model *model, struct process *process, uint32_t node_id)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    ways->count = 0;
    ways->from_module = false;
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        if (record->frame == DB_FRAME_PYTHON) {
            const struct code *code = model_code(model, process, (uint32_t)(record->value >> 32));
            ways->from_module = code != NULL && (strcmp(code->function, "<module>") == 0 ||
                                                 strcmp(code->function, "_run_module_as_main") == 0);
            if (ways->count < KEPT_LEVELS_MAX)
                ways->levels[ways->count++] = level_of(model, process, node_id);
        }
        node_id = record->parent;
        record = run_record(process->run, DB_KIND_NODE, node_id);
    }
}

static bool begins(struct word text, const char *keyword)
{
    struct word header = word_without_async(text);
    return word_is(word_name_at(header.text, word_end(header)), keyword);
}

/* "for x in xs: y = f(x)": does the level stand in the part behind the colon? */
static bool is_in_own_row(const struct kept_level *level, struct word text)
{
    struct word rest = text, header;
    return begins(text, "for") && word_next_statement(&rest, &header) && level->call.text > word_end(header);
}

bool kept_loop(const struct kept_level *level, bool nearest, int32_t *first, int32_t *last)
{
    size_t indent = 0, own = 0;
    struct word text = code_row_text(level->code, level->row, &indent);
    bool found = text.length_bytes > 0 && (begins(text, "while") || is_in_own_row(level, text));
    *first = level->row;
    for (int32_t row = level->row - 1; indent > 0 && row > level->def && !(nearest && found); row--) {
        text = code_row_text(level->code, row, &own);
        if (text.length_bytes == 0 || own >= indent || strchr(")]}", *text.text) != NULL)
            continue;
        indent = own;
        if (begins(text, "for") || begins(text, "while")) {
            found = true;
            *first = row;
        }
    }
    if (found)
        *last = code_index_last(level->code, *first);
    return found;
}

/* The parameters of a "def", without stars and defaults; SIZE_MAX: they are not known. */
static size_t parameters_of(const struct source *code, int32_t def, struct word *names)
{
    size_t indent = 0;
    struct word text = code_row_text(code, def, &indent), items[PARAMETERS_MAX];
    const char *end = code->text + code->length_bytes;
    const char *open = text.text != NULL ? memchr(text.text, '(', text.length_bytes) : NULL;
    size_t count = open != NULL ? word_split(word_in_bracket(open, end), ',', items, PARAMETERS_MAX) : SIZE_MAX;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        if (items[i].length_bytes > 0 && strchr("*/", *items[i].text) != NULL)
            return SIZE_MAX;
        names[i] = word_name_at(items[i].text, word_end(items[i]));
    }
    return count;
}

bool kept_is_parameter(const struct source *code, int32_t def, struct word name)
{
    size_t indent = 0;
    struct word text = def > 0 ? code_row_text(code, def, &indent) : (struct word){NULL, 0};
    const char *open = text.text != NULL ? memchr(text.text, '(', text.length_bytes) : NULL;
    return open != NULL && word_mentions(word_in_bracket(open, code->text + code->length_bytes), name) > 0;
}

struct word kept_parameter(const struct source *code, int32_t def, size_t place, struct word keyword)
{
    struct word names[PARAMETERS_MAX], none = {code->text, 0};
    size_t count = parameters_of(code, def, names);
    for (size_t i = 0; count != SIZE_MAX && keyword.length_bytes > 0 && i < count; i++)
        if (word_equal(names[i], keyword))
            return names[i];
    return count != SIZE_MAX && keyword.length_bytes == 0 && place < count ? names[place] : none;
}

/* "fit(x, y)" on the level's caller, where that is this function's call. */
static bool caller_of(const struct kept_ways *ways, size_t level, struct word *function, struct word *arguments)
{
    const struct kept_level *own = &ways->levels[level];
    if (level + 1 >= ways->count || own->code == NULL || own->def == 0 || ways->levels[level + 1].code == NULL)
        return false;
    return word_last_call(ways->levels[level + 1].call, function, arguments) &&
           word_equal(word_last_part(*function), code_name_of(own->code, own->def));
}

struct word kept_handed(const struct source *code, int32_t def, struct word arguments, struct word parameter)
{
    struct word items[PARAMETERS_MAX], names[PARAMETERS_MAX], none = {parameter.text, 0};
    size_t count = word_split(arguments, ',', items, PARAMETERS_MAX);
    size_t named = parameters_of(code, def, names);
    if (count == SIZE_MAX || named == SIZE_MAX)
        return none;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *sign = word_assignment(items[i], &length);
        if (items[i].length_bytes > 0 && *items[i].text == '*')
            return none;
        if (sign != NULL && word_equal(word_trimmed(items[i].text, sign), parameter))
            return word_trimmed(sign + length, word_end(items[i]));
        if (sign == NULL && i < named && word_equal(names[i], parameter))
            return items[i];
    }
    return none;
}

struct word kept_argument(const struct kept_ways *ways, size_t level, struct word parameter)
{
    struct word function = {NULL, 0}, arguments;
    const struct kept_level *own = &ways->levels[level];
    if (!caller_of(ways, level, &function, &arguments))
        return (struct word){parameter.text, 0};
    return kept_handed(own->code, own->def, arguments, parameter);
}
