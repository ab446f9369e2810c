#include "python/clear_call.h"

#include <string.h>

#include "python/clear.h"
#include "python/scope.h"
#include "python/suite.h"

#define ROWS_MAX 100 /* from a clear to the call, and from the function's header to its clear */
#define ARGUMENTS_MAX 32u

static bool mentions_any(struct word text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (word_mentions(text, (struct word){words[i], strlen(words[i])}) > 0)
            return true;
    return false;
}
#define MENTIONS_ANY(text, words) mentions_any(text, words, sizeof(words) / sizeof((words)[0]))

static bool holds(struct word text, const char *what)
{
    return memmem(text.text, text.length_bytes, what, strlen(what)) != NULL;
}

/* "p.grad", "clip_grad_norm_", "backward", and what turns gradients off as well. */
static bool is_about_gradients(struct word text)
{
    return holds(text, "backward") || holds(text, "grad");
}

/* Does a row between the two leave gradients as they are, and what the names stand for, and come to the next row? */
static bool is_idle(const struct source *code, struct word text, const struct clear *clear)
{
    static const char *const others[] = {"for",    "while",  "with",   "try",      "def",      "class",
                                         "lambda", "yield",  "await",  "return",   "raise",    "else",
                                         "assert", "import", "global", "nonlocal", "continue", "break",
                                         "del",    "elif",   "if",     "match",    "as"};
    struct word call;
    return !MENTIONS_ANY(text, others) && !is_about_gradients(text) && !clear_gives_anew(text, clear->owner) &&
           clear_other_calls(code, text, clear, &call) == 0;
}

/* The name's own part of "self.step"; empty where it is a part of something else. */
static struct word called_part(struct word name)
{
    bool is_method = name.length_bytes > 5 && memcmp(name.text, "self.", 5) == 0;
    struct word part = is_method ? (struct word){name.text + 5, name.length_bytes - 5} : name;
    return memchr(part.text, '.', part.length_bytes) == NULL ? part : (struct word){name.text, 0};
}

static int32_t row_of(const struct source *code, const char *at)
{
    int32_t row = 1;
    for (const char *p = code->text; (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++)
        row++;
    return row;
}

/*
 * The row of the only `def` of a function whose name the file does nothing with but calling it: nowhere is it given another value, passed on or
 * a parameter's name. 0: there is none.
 */
static int32_t definition_of(const struct source *code, struct word name)
{
    const char *end = code->text + code->length_bytes;
    int32_t defined = 0;
    for (const char *at = code->text; (at = memmem(at, (size_t)(end - at), name.text, name.length_bytes)) != NULL;) {
        const char *first = at, *behind = at + name.length_bytes;
        at = behind;
        if ((first > code->text && word_char(first[-1])) || (behind < end && word_char(*behind)))
            continue;
        if (behind == end || *behind != '(')
            return 0;
        bool defines = first - code->text >= 4 && memcmp(first - 4, "def ", 4) == 0;
        if (defines && defined > 0)
            return 0;
        defined = defines ? row_of(code, first) : defined;
    }
    return defined;
}

/* The text of the row's header, all rows of it. False: it has none, or another follows in its row. */
static bool read_header(const struct source *code, int32_t row, struct word *header, size_t *indent, int32_t *last)
{
    return suite_statement(code, row, header, indent, last) && scope_is_function(*header) &&
           word_end(*header)[-1] == ':';
}

static bool is_decorated(const struct source *code, int32_t row)
{
    struct word text;
    size_t indent = 0;
    while (--row > 0 && suite_row(code, row, &text, &indent))
        if (text.length_bytes > 0)
            return *text.text == '@' || *text.text == ')';
    return false;
}

/* Does the function run when it is called? A generator does not. */
static bool is_plain(const struct source *code, int32_t last, size_t indent)
{
    static const char *const waiting[] = {"yield", "await"};
    struct word text;
    size_t own = 0;
    for (int32_t row = last + 1; suite_row(code, row, &text, &own); row++) {
        if (text.length_bytes > 0 && own <= indent && strchr(")]}", *text.text) == NULL)
            return true;
        if (MENTIONS_ANY(text, waiting))
            return false;
    }
    return true;
}

/* The clear that the function begins with: nothing before it has to do with gradients. */
static bool first_clear(const struct source *code, int32_t header_last, size_t indent, struct clear *clear)
{
    struct word text;
    size_t own = 0, body = 0;
    for (int32_t row = header_last + 1; row - header_last < ROWS_MAX && suite_row(code, row, &text, &own); row++) {
        if (text.length_bytes == 0)
            continue;
        body = body == 0 ? own : body;
        if (own <= indent)
            return false;
        if (own == body && clear_read(code, row, clear))
            return true;
    }
    return false;
}

static bool are_idle(const struct source *code, int32_t from, int32_t to, const struct clear *clear)
{
    struct word text;
    size_t indent = 0;
    for (int32_t row = from; row < to && suite_row(code, row, &text, &indent); row++)
        if (!is_idle(code, text, clear))
            return false;
    return true;
}

static struct word parameters_of(struct word header)
{
    const char *open = memchr(header.text, '(', header.length_bytes);
    return open != NULL ? word_in_bracket(open, word_end(header)) : (struct word){header.text, 0};
}

/* "opt" of "opt: Optimizer = None". */
static struct word parameter_name(struct word parameter)
{
    return word_name_at(parameter.text, word_end(parameter));
}

static bool has_parameter(struct word header, struct word name)
{
    return word_mentions(parameters_of(header), name) > 0;
}

static struct word root_of(struct word name)
{
    const char *dot = memchr(name.text, '.', name.length_bytes);
    return dot != NULL ? (struct word){name.text, (size_t)(dot - name.text)} : name;
}

/* Is the name the module's where the row stands? Neither a parameter nor given a value in the functions around it. */
static bool is_global(const struct source *code, int32_t row, struct word name)
{
    struct word header, text;
    size_t indent = 0, own = 0;
    int32_t last = 0;
    for (int32_t at = scope_function(code, row); at > 0; at = scope_outer(code, at)) {
        if (!suite_statement(code, at, &header, &indent, &last) || has_parameter(header, name))
            return false;
        for (int32_t within = last + 1; suite_row(code, within, &text, &own); within++) {
            if (text.length_bytes > 0 && own <= indent && strchr(")]}", *text.text) == NULL)
                break;
            if (text.length_bytes > 0 && word_gives(text, name))
                return false;
        }
    }
    return true;
}

/* What a call hands to the function's parameter of that name; empty: the text does not tell. */
static struct word handed_to(struct word header, struct word arguments, struct word name)
{
    struct word parameters[ARGUMENTS_MAX], items[ARGUMENTS_MAX], keyword, value, none = {name.text, 0};
    size_t count = word_split(parameters_of(header), ',', parameters, ARGUMENTS_MAX);
    size_t given = word_split(arguments, ',', items, ARGUMENTS_MAX);
    if (count == SIZE_MAX || given == SIZE_MAX || memchr(arguments.text, '*', arguments.length_bytes) != NULL ||
        holds(parameters_of(header), "*"))
        return none;
    for (size_t i = 0; i < given; i++)
        if (word_assigned(items[i], &keyword, &value) && word_equal(keyword, name))
            return value;
    for (size_t i = 0; i < count && i < given; i++)
        if (word_equal(parameter_name(parameters[i]), name))
            return word_assigned(items[i], &keyword, &value) ? none : items[i];
    return none;
}

/* Are both methods of one class? */
static bool are_methods(const struct source *code, int32_t one, int32_t other)
{
    struct word text, self = {"self", 4};
    size_t indent = 0;
    int32_t class = scope_header(code, one);
    int32_t rows[] = {one, other};
    for (size_t i = 0; i < 2; i++)
        if (!suite_row(code, rows[i], &text, &indent) || !word_equal(parameter_name(parameters_of(text)), self))
            return false;
    return class > 0 && class == scope_header(code, other) && suite_row(code, class, &text, &indent) &&
           word_is(word_name_at(text.text, word_end(text)), "class");
}

/* A call of a function of the file's, in a statement. */
struct own_call {
    struct word name, arguments, header;
    int32_t function, header_last;
    size_t indent;
};

/* Do the two clear the same, whatever the names are on either side of the call? */
static bool clear_the_same(const struct source *code, const struct clear *first, const struct clear *second,
                           const struct own_call *call)
{
    static const char *const known[] = {"", "True", "False"};
    struct clear seen = *second;
    struct word root = root_of(second->owner);
    if (!WORD_IS_ONE_OF(first->arguments, known))
        return false;
    int32_t caller = scope_function(code, first->row);
    if (call->name.length_bytes > 5 && memcmp(call->name.text, "self.", 5) == 0)
        return are_methods(code, caller, call->function) && word_is(root, "self") &&
               word_is(root_of(first->owner), "self") && clear_same(code, first, second);
    if (call->indent > 0)
        return false;
    if (has_parameter(call->header, root)) {
        seen.owner = handed_to(call->header, call->arguments, second->owner);
        return seen.owner.length_bytes > 0 && word_equal(seen.owner, first->owner) &&
               word_equal(seen.arguments, first->arguments);
    }
    return is_global(code, first->row, root_of(first->owner)) && is_global(code, second->row, root) &&
           clear_same(code, first, second) && clear_same(code, second, first);
}

/* Is the call, which always comes about, all that the statement does that may have to do with gradients? */
static bool read_own_call(const struct source *code, struct word statement, const struct clear *clear,
                          struct own_call *call)
{
    static const char *const perhaps[] = {"if",    "else",  "and",    "or",    "for",   "while", "lambda", "with",
                                          "yield", "await", "assert", "class", "match", "elif",  "try",    "raise"};
    if (MENTIONS_ANY(statement, perhaps) || is_about_gradients(statement) ||
        clear_other_calls(code, statement, clear, &call->name) != 1)
        return false;
    struct word part = called_part(call->name);
    if (part.length_bytes == 0 || (call->name.text > statement.text && call->name.text[-1] == '.'))
        return false;
    call->arguments = word_in_bracket(word_end(call->name), word_end(statement));
    call->function = definition_of(code, part);
    return call->function > 0 && !is_decorated(code, call->function) &&
           read_header(code, call->function, &call->header, &call->indent, &call->header_last) &&
           is_plain(code, call->header_last, call->indent);
}

/* The statement behind the clear, in its suite, that does more than leave gradients as they are. */
static bool find_busy(const struct source *code, const struct clear *clear, struct word *statement, int32_t *row,
                      int32_t *last)
{
    struct word text;
    size_t own = 0;
    for (*row = clear->last + 1; *row - clear->last < ROWS_MAX && suite_row(code, *row, &text, &own); (*row)++) {
        if (text.length_bytes > 0 && own < clear->indent)
            return false;
        if (!is_idle(code, text, clear))
            return own == clear->indent && suite_statement(code, *row, statement, &own, last);
    }
    return false;
}

bool clear_call_find(const struct source *code, int32_t first, struct clear_call *found)
{
    struct clear clear, second;
    struct own_call call;
    struct word statement;
    int32_t row = 0, last = 0;
    if (!clear_at(code, first, &clear) || !find_busy(code, &clear, &statement, &row, &last) ||
        !read_own_call(code, statement, &clear, &call) || call.function == scope_function(code, first) ||
        !first_clear(code, call.header_last, call.indent, &second) ||
        !are_idle(code, call.header_last + 1, second.row, &second) || !clear_the_same(code, &clear, &second, &call))
        return false;
    *found = (struct clear_call){first, row, last, call.function, second.line};
    struct word text = {code->text, code->length_bytes};
    return !holds(text, "def zero_grad") && !clear_stored_by_hand(code);
}
