#include "python/steady.h"

#include <ctype.h>
#include <string.h>

#include "python/draws.h"
#include "python/imports.h"
#include "python/stores.h"

static bool is_pure_builtin(struct word name)
{
    static const char *const builtins[] = {"len", "range", "float", "int",  "abs",   "min",  "max",   "sum",
                                           "pow", "round", "tuple", "list", "slice", "True", "False", "None",
                                           "not", "and",   "or",    "is",   "in",    "if",   "else"};
    return WORD_IS_ONE_OF(name, builtins);
}

/* Of arrays, which leave them as they are and ask nothing else. */
static bool is_pure_method(struct word name)
{
    static const char *const methods[] = {
        "sum",     "mean",    "std",       "var",     "max",    "min",  "prod",  "argmax",  "argmin",
        "argsort", "cumsum",  "dot",       "matmul",  "astype", "copy", "clone", "reshape", "view",
        "ravel",   "flatten", "transpose", "abs",     "exp",    "log",  "sqrt",  "square",  "pow",
        "tanh",    "clip",    "clamp",     "float",   "double", "long", "t",     "permute", "repeat",
        "squeeze", "expand",  "unsqueeze", "softmax", "norm",   "round"};
    return WORD_IS_ONE_OF(name, methods);
}

/* May the statement make the name stand for something else in a way that is no assignment? */
static bool may_bind(struct word statement, struct word name)
{
    static const char *const binding[] = {"def",    "class",  "global", "nonlocal", "del",
                                          "lambda", "except", "with",   "async"};
    const char *end = word_end(statement);
    bool binds = memmem(statement.text, statement.length_bytes, ":=", 2) != NULL;
    for (const char *at = statement.text; at < end && !binds;) {
        struct word word = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        binds = WORD_IS_ONE_OF(word, binding);
        at = word.length_bytes > 0 ? word_end(word) : at + 1;
    }
    return binds && word_mentions(statement, name) > 0;
}

/* How the file gives a name its value. */
struct given {
    unsigned times, outermost; /* ... of these by statements that are indented in nothing */
    bool open;                 /* ... or in a way that is not known */
    bool stored;               /* something stores into it */
};

static void read_row(struct given *given, struct word row, struct word name)
{
    bool is_outermost = row.length_bytes > 0 && !isspace((unsigned char)*row.text);
    struct word statement;
    while (word_next_statement(&row, &statement)) {
        bool gives = word_gives(statement, name);
        bool is_loop = statement.length_bytes > 4 && memcmp(statement.text, "for ", 4) == 0;
        given->open |= may_bind(statement, name) || (gives && is_loop);
        given->stored |= stores_effect(statement, name) == STORE_CHANGES;
        given->times += gives;
        given->outermost += gives && is_outermost;
    }
}

/* The rows are read as they stand: a name in a statement's later rows may look like one that is given a value, which disqualifies. */
static struct given given_of(const struct source *code, struct word name)
{
    struct given given = {0};
    struct word row;
    for (int32_t i = 1; (row.text = source_line(code, i, &row.length_bytes)) != NULL; i++)
        if (word_mentions(row, name) > 0)
            read_row(&given, row, name);
    return given;
}

static bool is_steady_name(const struct source *code, struct word dotted, bool called)
{
    const char *dot = memchr(dotted.text, '.', dotted.length_bytes);
    struct word root = {dotted.text, dot != NULL ? (size_t)(dot - dotted.text) : dotted.length_bytes};
    if (called && (draws_by_name(dotted) || memmem(dotted.text, dotted.length_bytes, "random", 6) != NULL))
        return false;
    if (dot == NULL && is_pure_builtin(root))
        return true;
    const struct given given = given_of(code, root);
    const enum imported imported = imports_of_name(code, root);
    if (given.open || imported == IMPORTED_FROM_OTHER)
        return false;
    if (imported != IMPORTED_BY_NONE)
        return given.times == 0;
    return given.times == 1 && given.outermost == 1 && !given.stored &&
           (!called || (dot != NULL && is_pure_method(word_last_part(dotted))));
}

/* "axis" of "axis=0", which is nothing that stands for a value. */
static bool is_keyword(const char *behind, const char *end)
{
    return behind < end && *behind == '=' && (behind + 1 == end || behind[1] != '=');
}

/* Behind the number, name or other character at `at`; NULL: what it says is not the same each time, or not understood. */
static const char *read_token(const struct source *code, struct word expression, const char *at)
{
    static const char *const acting[] = {"lambda", "for", "await", "yield", "async"};
    const char *end = word_end(expression);
    if (!word_char(*at))
        return *at == '{' || (*at == ':' && at + 1 < end && at[1] == '=') ? NULL : at + 1;
    if (isdigit((unsigned char)*at)) {
        while (at < end && (word_char(*at) || *at == '.'))
            at++;
        return at;
    }
    struct word name = word_name_at(at, end);
    const char *behind = word_skip_blanks(word_end(name), end);
    bool called = behind < end && *behind == '(';
    if (name.length_bytes == 0 || WORD_IS_ONE_OF(name, acting))
        return NULL;
    bool good = at > expression.text && at[-1] == '.' ? !called || is_pure_method(word_last_part(name))
                                                      : is_keyword(behind, end) || is_steady_name(code, name, called);
    return good ? word_end(name) : NULL;
}

bool steady_expression(const struct source *code, struct word expression)
{
    const char *at = expression.text;
    while (at != NULL && at < word_end(expression)) {
        const char *quiet = word_skip_quiet(at, word_end(expression));
        at = quiet > at ? quiet : read_token(code, expression, at);
    }
    return at != NULL;
}
