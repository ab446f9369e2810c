#include "python/given.h"

#include <ctype.h>
#include <string.h>

/* A walk over statements, each with the indentation of its row. */
struct walk {
    const struct source *code;
    struct word rest;
    struct word statement; /* trimmed, never empty */
    const char *row;       /* where its row begins */
    size_t indent;
};

static const char *end_of(const struct source *code)
{
    return code->text + code->length_bytes;
}

static void begin(struct walk *walk, const struct source *code, int32_t row)
{
    size_t length = 0;
    const char *line = source_line(code, row, &length);
    *walk = (struct walk){.code = code, .rest = {end_of(code), 0}};
    if (line != NULL)
        walk->rest = (struct word){line, (size_t)(end_of(code) - line)};
}

static bool next(struct walk *walk)
{
    struct word statement;
    while (word_next_statement(&walk->rest, &statement)) {
        walk->statement = word_trimmed(statement.text, word_end(statement));
        if (walk->statement.length_bytes == 0)
            continue;
        walk->row = walk->statement.text;
        while (walk->row > walk->code->text && walk->row[-1] != '\n')
            walk->row--;
        walk->indent = (size_t)(word_skip_blanks(walk->row, word_end(walk->statement)) - walk->row);
        return true;
    }
    return false;
}

static struct word first_word(struct word statement)
{
    return word_name_at(statement.text, word_end(statement));
}

static bool is_definition(struct word statement)
{
    struct word first = first_word(word_without_async(statement));
    return word_is(first, "def") || word_is(first, "class");
}

/* Is a word of the statement before `at` one that binds what follows: "for i, name in", "lambda name", "as name"? */
static bool is_bound_there(struct word statement, const char *at)
{
    bool binds = false;
    for (const char *p = statement.text; p < at;) {
        struct word word = word_char(*p) ? word_name_at(p, at) : (struct word){p, 0};
        if (word_is(word, "for") || word_is(word, "as"))
            binds = true;
        else if (word_is(word, "in"))
            binds = false;
        p += word.length_bytes > 0 ? word.length_bytes : 1;
    }
    return binds;
}

/* "name := 5" */
static bool is_bound_behind(const struct source *code, const char *mention, struct word name)
{
    const char *behind = word_skip_blanks(mention + name.length_bytes, end_of(code));
    return behind + 1 < end_of(code) && behind[0] == ':' && behind[1] == '=';
}

/* Statements that may give a name in ways that are not read. */
static bool binds_otherwise(struct word statement)
{
    static const char *const words[] = {"import", "from", "global", "nonlocal", "del",
                                        "except", "with", "match",  "case",     "type"};
    return WORD_IS_ONE_OF(first_word(word_without_async(statement)), words);
}

static bool is_target(struct word targets, struct word name, size_t *place, size_t *count)
{
    struct word items[WORDS_MAX];
    bool found = false;
    *count = word_split(targets, ',', items, WORDS_MAX);
    for (size_t i = 0; *count != SIZE_MAX && i < *count; i++) {
        if (!word_equal(items[i], name))
            continue;
        if (found)
            return false;
        found = true;
        *place = i;
    }
    return found;
}

static void add(struct given *given, struct word value)
{
    if (given->count == GIVEN_MAX)
        given->open = true;
    else
        given->values[given->count++] = value;
}

/* "few, most = 5, 990": the value that stands where the name does; anything else than that leaves it open. */
static void read_assignment(struct word statement, struct word name, struct given *given)
{
    struct word targets, value, values[WORDS_MAX];
    size_t place = 0, count = 0;
    if (!word_assigned(statement, &targets, &value) || !is_target(targets, name, &place, &count)) {
        given->open = true;
        return;
    }
    size_t value_count = word_split(value, ',', values, WORDS_MAX);
    bool has_star =
        memchr(targets.text, '*', targets.length_bytes) != NULL || memchr(value.text, '*', value.length_bytes) != NULL;
    if (count != value_count || has_star)
        given->open = true;
    else
        add(given, values[place]);
}

/* "for k in (1, 3, 5)", "for k in range(1, 9)": its items, or what they stay below. False: it is no such loop. */
static bool read_loop(struct word statement, struct word name, struct given *given)
{
    struct word keyword = first_word(statement), values[WORDS_MAX], function, arguments;
    const char *end = word_end(statement), *at = word_skip_blanks(word_end(keyword), end);
    if (!word_is(keyword, "for") || !word_equal(word_name_at(at, end), name))
        return false;
    at = word_skip_blanks(at + name.length_bytes, end);
    if (!word_is(word_name_at(at, end), "in"))
        return false;
    struct word items = word_trimmed(at + strlen("in"), end);
    bool is_range = word_call(items, &function, &arguments) && word_is(function, "range");
    bool is_display = !is_range && items.length_bytes > 2 && (*items.text == '(' || *items.text == '[') &&
                      word_in_bracket(items.text, end).length_bytes + 2 == items.length_bytes;
    size_t count = 0;
    if (is_range || is_display)
        count = word_split(is_range ? arguments : word_in_bracket(items.text, end), ',', values, WORDS_MAX);
    if (count == 0 || count == SIZE_MAX || (is_range && count > 2))
        return false;
    for (size_t i = is_range ? count - 1 : 0; i < count; i++)
        if (values[i].length_bytes > 0)
            add(given, values[i]);
    return true;
}

/* Brackets open at `at`: what stands in them is subscripted, called or handed over, but where they begin the statement. */
static bool is_in_bracket(struct word statement, const char *at)
{
    int depth = 0;
    for (const char *p = statement.text; p < at; p++) {
        depth += *p == '(' || *p == '[' || *p == '{';
        depth -= *p == ')' || *p == ']' || *p == '}';
    }
    return depth > 0 && *statement.text != '(' && *statement.text != '[';
}

static void read_statement(const struct source *code, struct word statement, struct word name, struct given *given)
{
    size_t length = 0;
    bool is_read = false;
    const char *sign = is_definition(statement) ? NULL : word_assignment(statement, &length);
    for (const char *at = statement.text; at + name.length_bytes <= word_end(statement); at++) {
        struct word rest = {at, name.length_bytes};
        bool begins = at == statement.text || (!word_char(at[-1]) && at[-1] != '.');
        bool ends = at + name.length_bytes == word_end(statement) || !word_char(at[name.length_bytes]);
        if (!begins || !ends || !word_equal(rest, name))
            continue;
        if (!is_read && read_loop(statement, name, given)) {
            is_read = true;
            continue;
        }
        if (binds_otherwise(statement) || is_bound_there(statement, at) || is_bound_behind(code, at, name))
            given->open = true;
        else if (sign != NULL && at < sign && !is_in_bracket(statement, at) && !is_read) {
            bool is_of_it = at[name.length_bytes] == '.' || at[name.length_bytes] == '[';
            if (is_of_it)
                continue;
            is_read = true;
            read_assignment(statement, name, given);
        }
    }
}

void given_in_function(const struct source *code, int32_t definition, struct word name, struct given *given)
{
    struct walk walk;
    *given = (struct given){.count = 0};
    begin(&walk, code, definition);
    if (!next(&walk) || !is_definition(walk.statement)) {
        given->open = true;
        return;
    }
    const char *own_row = walk.row;
    size_t own_indent = walk.indent;
    while (next(&walk) && (walk.row == own_row || walk.indent > own_indent))
        read_statement(code, walk.statement, name, given);
}

void given_in_module(const struct source *code, struct word name, struct given *given)
{
    struct walk walk;
    const char *row = NULL; /* of the definition that is passed over */
    size_t indent = 0;
    *given = (struct given){.count = 0};
    begin(&walk, code, 1);
    while (next(&walk)) {
        bool is_within = row != NULL && (walk.row == row || walk.indent > indent);
        if (is_within) {
            if (word_is(first_word(walk.statement), "global"))
                read_statement(code, walk.statement, name, given);
            continue;
        }
        row = is_definition(walk.statement) ? walk.row : NULL;
        indent = walk.indent;
        if (row == NULL)
            read_statement(code, walk.statement, name, given);
    }
}

/* The "def" in that row with its brackets; empty where none stands there. */
static struct word definition_at(const struct source *code, int32_t row)
{
    struct walk walk;
    begin(&walk, code, row);
    if (row <= 0 || !next(&walk) || !is_definition(walk.statement))
        return (struct word){NULL, 0};
    return word_without_async(walk.statement);
}

struct word given_definition_name(const struct source *code, int32_t row)
{
    struct word definition = definition_at(code, row);
    if (definition.length_bytes == 0 || !word_is(first_word(definition), "def"))
        return (struct word){NULL, 0};
    const char *at = word_skip_blanks(definition.text + strlen("def"), word_end(definition));
    return word_name_at(at, word_end(definition));
}

bool given_parameter(const struct source *code, int32_t definition, struct word name, struct parameter *parameter)
{
    struct word text = definition_at(code, definition), items[PARAMETERS_MAX];
    const char *open = text.length_bytes > 0 ? memchr(text.text, '(', text.length_bytes) : NULL;
    size_t count = open != NULL ? word_split(word_in_bracket(open, word_end(text)), ',', items, PARAMETERS_MAX) : 0;
    size_t place = 0;
    *parameter = (struct parameter){0};
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        if (word_is(items[i], "/") || items[i].length_bytes == 0)
            continue;
        struct word own = first_word(items[i]);
        parameter->of_object = parameter->of_object || (i == 0 && (word_is(own, "self") || word_is(own, "cls")));
        place = *items[i].text == '*' ? SIZE_MAX : place;
        if (word_equal(own, name)) {
            size_t length = 0;
            const char *sign = word_assignment(items[i], &length);
            parameter->place = place;
            if (sign != NULL)
                parameter->default_value = word_trimmed(sign + length, word_end(items[i]));
            return true;
        }
        place += place != SIZE_MAX;
    }
    return false;
}

bool given_is_number(const struct source *code, int32_t definition, struct word name)
{
    struct parameter parameter;
    if (!given_parameter(code, definition, name, &parameter) || parameter.default_value.length_bytes == 0)
        return false;
    struct word value = parameter.default_value;
    char first = value.text[*value.text == '-' && value.length_bytes > 1];
    return isdigit((unsigned char)first) || first == '.';
}

struct word given_argument(struct word arguments, const struct parameter *parameter, struct word name)
{
    struct word items[PARAMETERS_MAX], open = {NULL, SIZE_MAX}, found = {NULL, 0};
    size_t count = word_split(arguments, ',', items, PARAMETERS_MAX);
    if (count == SIZE_MAX)
        return open;
    size_t place = parameter->place == SIZE_MAX ? SIZE_MAX : parameter->place - (parameter->of_object ? 1 : 0);
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *sign = word_assignment(items[i], &length);
        if (items[i].length_bytes == 0)
            continue;
        if (*items[i].text == '*')
            return open;
        if (sign == NULL ? i == place : word_equal(word_trimmed(items[i].text, sign), name))
            found = sign == NULL ? items[i] : word_trimmed(sign + length, word_end(items[i]));
    }
    return found;
}

int32_t given_definition_around(const struct source *code, int32_t line)
{
    size_t length = 0, indent = SIZE_MAX;
    for (int32_t i = line; i > 0; i--) {
        const char *text = source_line(code, i, &length);
        if (text == NULL)
            return 0;
        struct word row = word_trimmed(text, text + length);
        size_t own = (size_t)(word_skip_blanks(text, text + length) - text);
        if (row.length_bytes == 0 || (i < line && own >= indent))
            continue;
        indent = own;
        if (i < line && word_is(first_word(word_without_async(row)), "def"))
            return i;
        if (indent == 0)
            return 0;
    }
    return 0;
}
