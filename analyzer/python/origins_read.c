/* A file's statements, one by one: which names they give what values. */
#include <string.h>

#include "python/fresh.h"
#include "python/origins_graph.h"

#define ITEMS_MAX 32u
#define NESTED_MAX 32u
#define DEPTH_MAX 8u
#define STATEMENT_MAX_BYTES 8192u

/* The functions around a statement, and what a ":" in the middle of the one before left for this one. */
struct reading {
    struct word functions[NESTED_MAX];
    size_t indents[NESTED_MAX];
    size_t depth;
    struct word pending; /* "f" of "f = lambda: x" */
};

/* "word rest": does the statement begin with the word? */
static bool begins(struct word statement, const char *word, struct word *rest)
{
    struct word first = word_name_at(statement.text, word_end(statement));
    if (!word_is(first, word))
        return false;
    *rest = word_trimmed(word_end(first), word_end(statement));
    return true;
}

/* Behind the first " word " outside of brackets; NULL: there is none. */
static const char *behind_keyword(struct word text, const char *word)
{
    const char *end = word_end(text);
    for (const char *at = text.text; at < end;) {
        const char *quiet = word_skip_quiet(at, end);
        if (quiet > at) {
            at = quiet;
        } else if (origins_opens(*at)) {
            struct word inner = word_in_bracket(at, end);
            at = word_end(inner) < end ? word_end(inner) + 1 : end;
        } else if (word_char(*at)) {
            struct word name = word_name_at(at, end);
            at = word_end(name);
            if (word_is(name, word))
                return at;
        } else {
            at++;
        }
    }
    return NULL;
}

static void bind(struct origins *origins, struct word target, struct word value, bool iterates, unsigned depth);

static void bind_one(struct origins *origins, struct word target, struct word value)
{
    struct word name = word_name_at(target.text, word_end(target)), base = origins_base(name);
    const char *dot = memrchr(target.text, '.', target.length_bytes),
               *bracket = memrchr(target.text, ']', target.length_bytes);
    if (word_equal(name, origins->buffer) && name.length_bytes < target.length_bytes)
        return; /* its content */
    if (name.length_bytes < target.length_bytes && dot != NULL && (bracket == NULL || dot > bracket))
        base = (struct word){dot, (size_t)(word_end(target) - dot)}; /* "f(x).row" */
    if (base.length_bytes == 0)
        return;
    uint32_t to = origins_name(origins, base, ORIGIN_VALUE);
    origins->names[to].bound |= bracket == NULL || base.text == dot;
    origins_add_value(origins, to, value);
}

/* "a, b = c, d", "for a, b in zip(c, d)", "for i, a in enumerate(c)". False: not one by one. */
static bool bind_each(struct origins *origins, const struct word *targets, size_t count, struct word value,
                      bool iterates, unsigned depth)
{
    struct word function, arguments = value, values[ITEMS_MAX];
    bool calls = word_call(value, &function, &arguments);
    if (iterates && calls && word_is(function, "enumerate") && count == 2) {
        bind(origins, targets[0], (struct word){"0", 1}, false, depth);
        bind(origins, targets[1], arguments, true, depth);
        return true;
    }
    if (iterates ? !calls || !word_is(function, "zip") : calls)
        return false;
    if (memchr(arguments.text, '*', arguments.length_bytes) != NULL ||
        word_split(arguments, ',', values, ITEMS_MAX) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        bind(origins, targets[i], values[i], iterates, depth);
    return true;
}

static void bind(struct origins *origins, struct word target, struct word value, bool iterates, unsigned depth)
{
    struct word targets[ITEMS_MAX];
    target = word_trimmed(target.text, word_end(target));
    while (target.length_bytes > 0 && *target.text == '*')
        target = word_trimmed(target.text + 1, word_end(target));
    while (target.length_bytes > 0 && origins_opens(*target.text)) {
        struct word inner = word_in_bracket(target.text, word_end(target));
        if (word_end(inner) + 1 != word_end(target))
            break;
        target = word_trimmed(inner.text, word_end(inner));
    }
    size_t count = word_split(target, ',', targets, ITEMS_MAX);
    if (count == 0 || count == SIZE_MAX || depth == DEPTH_MAX) {
        origins->unclear |= count > 0;
        return;
    }
    bool stars = memchr(target.text, '*', target.length_bytes) != NULL;
    if (count > 1 && !stars && bind_each(origins, targets, count, value, iterates, depth + 1))
        return;
    for (size_t i = 0; i < count && count > 1; i++)
        bind(origins, targets[i], value, iterates, depth + 1);
    if (count == 1)
        bind_one(origins, targets[0], value);
}

/* A number, or nothing: no name in it, and no bracket. */
static bool is_plain(struct word value)
{
    struct word name;
    const char *behind = value.text;
    bool is_called = false;
    for (const char *at = value.text; at < word_end(value); at++)
        if (origins_opens(*at))
            return false;
    return !origins_next_name(value, &behind, &name, &is_called);
}

/* "a = b = value": whatever it is, they are one. */
static void bind_together(struct origins *origins, const struct word *targets, size_t count, struct word value)
{
    for (size_t i = 0; i < count && !is_plain(value); i++)
        for (size_t j = 0; j < count; j++)
            if (i != j)
                bind(origins, targets[i], targets[j], false, 0);
}

/* "a = b = value", "a += value". */
static void read_assignment(struct origins *origins, struct reading *reading, struct word statement)
{
    struct word targets[ITEMS_MAX], rest = statement;
    size_t length = 0, count = 0;
    const char *sign;
    if (reading->pending.length_bytes > 0 && count < ITEMS_MAX)
        targets[count++] = reading->pending;
    reading->pending = (struct word){statement.text, 0};
    while ((sign = word_assignment(rest, &length)) != NULL && count < ITEMS_MAX) {
        struct word target = word_trimmed(rest.text, sign);
        bool is_content = length > 1 && word_equal(target, origins->buffer); /* "sheet += x" */
        if (is_content)
            target.length_bytes = 0;
        if (is_content || target.length_bytes > 0)
            targets[count++] = target;
        else
            origins->unclear = true; /* "= x" behind what was cut at its ":" */
        rest = (struct word){sign + length, (size_t)(word_end(rest) - sign) - length};
    }
    for (size_t i = 0; i < count; i++)
        bind(origins, targets[i], rest, false, 0);
    bind_together(origins, targets, count, rest);
    if (count > 0 && behind_keyword(rest, "lambda") != NULL && *word_end(statement) == ':')
        reading->pending = targets[count - 1];
}

static void read_with(struct origins *origins, struct word items)
{
    struct word parts[ITEMS_MAX];
    size_t count = word_split(items, ',', parts, ITEMS_MAX);
    origins->unclear |= count == SIZE_MAX;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        const char *as = behind_keyword(parts[i], "as");
        if (as != NULL)
            bind(origins, word_trimmed(as, word_end(parts[i])),
                 (struct word){parts[i].text, (size_t)(as - 2 - parts[i].text)}, false, 0);
    }
}

static void read_definition(struct origins *origins, struct reading *reading, struct word rest, size_t indent,
                            bool is_class)
{
    struct word name = word_name_at(rest.text, word_end(rest)), parameters = {word_end(name), 0}, items[ITEMS_MAX];
    if (!is_class && word_end(name) < word_end(rest) && *word_end(name) == '(')
        parameters = word_in_bracket(word_end(name), word_end(rest));
    if (reading->depth < NESTED_MAX && !is_class) {
        reading->functions[reading->depth] = name;
        reading->indents[reading->depth++] = indent;
    }
    size_t count = word_split(parameters, ',', items, ITEMS_MAX);
    origins->unclear |= count == SIZE_MAX || reading->depth == NESTED_MAX;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        size_t length = 0;
        const char *sign = word_assignment(items[i], &length);
        struct word parameter = word_name_at(items[i].text, word_end(items[i]));
        if (parameter.length_bytes == 0 || word_is(parameter, "self") || word_is(parameter, "cls"))
            continue;
        uint32_t to = origins_name(origins, parameter, ORIGIN_VALUE);
        origins->names[to].bound = origins->names[to].holds = true;
        if (sign != NULL)
            origins_add_value(origins, to, word_trimmed(sign + length, word_end(items[i])));
    }
    if (origins->again)
        return;
    if (origins->function_count == ORIGIN_FUNCTIONS_MAX) {
        origins->unclear = true;
        return;
    }
    origins->functions[origins->function_count++] =
        (struct origin_function){.name = name, .parameters = parameters, .is_class = is_class, .known = true};
}

/* "(x := value)": it may be anything that the statement names. */
static void read_walrus(struct origins *origins, struct word statement)
{
    const char *behind = statement.text;
    struct word name, other;
    for (bool is_called; origins_next_name(statement, &behind, &name, &is_called);) {
        const char *next = word_skip_blanks(word_end(name), word_end(statement)), *from = statement.text;
        if (word_end(statement) - next < 2 || memcmp(next, ":=", 2) != 0)
            continue;
        uint32_t to = origins_name(origins, name, ORIGIN_VALUE);
        origins->names[to].bound = origins->names[to].holds = true;
        while (origins_next_name(statement, &from, &other, &is_called))
            origins_add_name(origins, to, other);
    }
}

/* "exec(text)", "setattr(a, name, b)", "match [a]:": names get values that the text does not tell. */
static bool is_open(struct word statement)
{
    static const char *const words[] = {"setattr", "getattr", "attrgetter", "vars",        "globals",
                                        "locals",  "exec",    "eval",       "__setattr__", "builtins"};
    const char *behind = statement.text;
    struct word name, rest;
    for (bool is_called; origins_next_name(statement, &behind, &name, &is_called);)
        if (WORD_IS_ONE_OF(name, words) || word_is(word_last_part(name), "__setattr__"))
            return true;
    return *word_end(statement) == ':' && (begins(statement, "match", &rest) || begins(statement, "case", &rest)) &&
           rest.length_bytes > 0;
}

/* How far a statement is indented that begins its row; SIZE_MAX of others. */
static size_t indent_of(const char *text, struct word statement)
{
    const char *at = statement.text;
    while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at == text || at[-1] == '\n' ? (size_t)(statement.text - at) : SIZE_MAX;
}

static void read_statement(struct origins *origins, struct reading *reading, struct word statement, size_t indent)
{
    struct word rest;
    if (begins(statement, "async", &rest) || begins(statement, "else", &rest))
        statement = rest;
    if (begins(statement, "import", &rest) || begins(statement, "from", &rest))
        return;
    origins->unclear |= is_open(statement);
    bool is_class = begins(statement, "class", &rest);
    if (is_class || begins(statement, "def", &rest)) {
        read_definition(origins, reading, rest, indent, is_class);
        return;
    }
    origins_add_calls(origins, statement);
    read_walrus(origins, statement);
    if (begins(statement, "for", &rest)) {
        const char *in = behind_keyword(rest, "in");
        if (in != NULL)
            bind(origins, (struct word){rest.text, (size_t)(in - 2 - rest.text)}, word_trimmed(in, word_end(rest)),
                 true, 0);
    } else if (begins(statement, "with", &rest)) {
        read_with(origins, rest);
    } else if (begins(statement, "return", &rest) || begins(statement, "yield", &rest)) {
        if (reading->depth > 0)
            origins_add_value(origins, origins_name(origins, reading->functions[reading->depth - 1], ORIGIN_RESULT),
                              rest);
    } else {
        read_assignment(origins, reading, statement);
    }
}

void origins_read(struct origins *origins, struct word text)
{
    struct reading reading = {.pending = {text.text, 0}};
    struct word statement, next, rest = text;
    while (word_next_statement(&rest, &statement)) {
        while (statement.length_bytes > 0 && word_end(statement)[-1] == '\\' && word_next_statement(&rest, &next))
            statement.length_bytes = (size_t)(word_end(next) - statement.text);
        statement = word_trimmed(statement.text, word_end(statement));
        origins->unclear |= statement.length_bytes > STATEMENT_MAX_BYTES;
        if (statement.length_bytes == 0 || statement.length_bytes > STATEMENT_MAX_BYTES)
            continue;
        size_t indent = indent_of(text.text, statement);
        while (indent != SIZE_MAX && reading.depth > 0 && reading.indents[reading.depth - 1] >= indent)
            reading.depth--;
        read_statement(origins, &reading, statement, indent);
    }
}
