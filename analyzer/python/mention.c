#include "python/mention.h"

#include <ctype.h>
#include <string.h>

#include "python/array_calls.h"
#include "python/array_value.h"
#include "python/code_facts.h"
#include "python/suite.h"

#define ITEMS_MAX 32u
#define DEPTH_MAX 8u

/* An expression that is, or may share the memory of, what is named: [from, to) of the statement. */
struct shared {
    struct word code, statement;
    const char *from, *to;
    bool in_list; /* a list or tuple that holds it */
};

static const char *skip(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

static const char *skip_back(const char *at, const char *begin)
{
    while (at > begin && isspace((unsigned char)at[-1]))
        at--;
    return at;
}

/* The innermost bracket that is open at `at`; NULL: none. */
static const char *open_bracket(const char *at, const char *begin)
{
    int depth = 0;
    while (at-- > begin) {
        depth += strchr(")]}", *at) != NULL;
        if (strchr("([{", *at) != NULL && depth-- == 0)
            return at;
    }
    return NULL;
}

/* The word that ends at `at`; empty where none does. */
static struct word word_before(const char *at, const char *begin, bool dotted)
{
    const char *first = at;
    while (first > begin && (word_char(first[-1]) || (dotted && first[-1] == '.')))
        first--;
    return (struct word){first, (size_t)(at - first)};
}

/* Behind the bracket that opens at `at`; NULL where it does not end. */
static const char *behind_bracket(const char *at, const char *end)
{
    const char *close = word_end(word_in_bracket(at, end));
    return close < end ? close + 1 : NULL;
}

/* Does a method or function give a list or tuple of what it is given? */
static bool gives_parts(struct word name)
{
    static const char *const parts[] = {"split", "array_split", "chunk"};
    return WORD_IS_ONE_OF(name, parts);
}

/* "x.T[0].reshape(-1)": follows what gives views. ARRAY_SAME: to the end of them. */
static enum array_effect follow(struct shared *shared)
{
    const char *end = word_end(shared->statement);
    for (const char *at = skip(shared->to, end); at < end; at = skip(shared->to, end)) {
        if (*at == '(')
            return ARRAY_UNKNOWN;
        if (*at != '[' && *at != '.')
            break;
        struct word name = {at, 0};
        if (*at == '.')
            name = word_name_at(skip(at + 1, end), end);
        const char *dot = memchr(name.text, '.', name.length_bytes);
        if (dot != NULL)
            name.length_bytes = (size_t)(dot - name.text);
        const char *bracket = name.length_bytes > 0 ? skip(word_end(name), end) : at;
        bool is_call = name.length_bytes > 0 && bracket < end && *bracket == '(';
        const char *behind = is_call || *at == '[' ? behind_bracket(bracket, end) : word_end(name);
        if (behind == NULL || (*at == '.' && name.length_bytes == 0))
            return ARRAY_UNKNOWN;
        enum array_effect effect =
            *at == '[' ? (index_is_array(shared->code, word_in_bracket(at, end)) ? ARRAY_NEW : ARRAY_SAME)
            : is_call  ? array_method(name, word_in_bracket(bracket, end))
                       : array_attribute(name);
        if (effect != ARRAY_SAME)
            return effect;
        shared->in_list |= is_call && gives_parts(name);
        shared->to = behind;
    }
    return ARRAY_SAME;
}

/* "+=" of "np.ravel(x)[0] += 1": no operator of an expression. */
static bool is_augmented(const char *at, const char *end)
{
    bool twice = at + 2 < end && at[0] == at[1] && strchr("*/<>", *at) != NULL && at[2] == '=';
    return twice || (at + 1 < end && strchr("+-*/@%&|^", *at) != NULL && at[1] == '=');
}

/* "x + ...", "... == x", "x is None", "... in x": a new value. */
static bool is_computed_with(const struct shared *shared)
{
    const char *begin = shared->statement.text, *end = word_end(shared->statement);
    const char *next = skip(shared->to, end), *before = skip_back(shared->from, begin);
    struct word word = word_name_at(next, end), last = word_before(before, begin, false);
    static const char *const tests[] = {"is", "in", "not"};
    if (word.length_bytes > 0 && WORD_IS_ONE_OF(word, tests))
        return true;
    if (word_is(last, "not") || word_is(last, "is"))
        return true;
    if (next + 1 < end && (*next == '=' || *next == '!') && next[1] == '=')
        return true;
    if (next < end && strchr("+-*/@%&|^<>", *next) != NULL)
        return !is_augmented(next, end);
    if (before == begin)
        return false;
    if (before[-1] == '=')
        return before - begin > 1 && strchr("=!<>", before[-2]) != NULL;
    if (strchr("+-*/@%&|^<>~", before[-1]) == NULL)
        return false;
    const char *first = before;
    while (first > begin && *(first - 1) == before[-1])
        first--;
    const char *operand = skip_back(first, begin);
    bool is_sign =
        operand == begin || strchr("(,[{=", operand[-1]) != NULL || word_is_keyword(word_before(operand, begin, false));
    bool gives_same = before[-1] == '*' || before[-1] == '+'; /* "f(*x)", and "+x" of PyTorch's */
    return !is_sign || !gives_same;
}

/* Does a word stand beside it that makes more of the expression than is read here ("a if b else c", "x for x in")? */
static bool is_beside_keyword(const struct shared *shared, bool in_bracket)
{
    static const char *const behind[] = {"if", "else", "and", "or", "for", "as"};
    static const char *const before[] = {"if", "else", "and", "or", "in", "lambda", "as", "await", "from"};
    const char *begin = shared->statement.text;
    struct word next = word_name_at(skip(shared->to, word_end(shared->statement)), word_end(shared->statement));
    struct word last = word_before(skip_back(shared->from, begin), begin, false);
    bool leads = !in_bracket && last.text == skip(begin, shared->from); /* "if x", "for a in x" are seen to */
    bool walks = !in_bracket && word_is(last, "in");
    return WORD_IS_ONE_OF(next, behind) || (!leads && !walks && WORD_IS_ONE_OF(last, before));
}

static bool has_comprehension(struct word text)
{
    for (const char *at = text.text; (at = memmem(at, (size_t)(word_end(text) - at), "for", 3)) != NULL; at += 3)
        if ((at == text.text || !word_char(at[-1])) && (at + 3 == word_end(text) || !word_char(at[3])))
            return true;
    return false;
}

/* "[f(x) for x in y]": is it what the comprehension takes out of something? */
static bool is_taken(struct word statement, const char *at)
{
    const char *open = open_bracket(at, statement.text);
    struct word before = {open, open != NULL ? (size_t)(at - open) : 0};
    const char *taking = NULL;
    for (const char *word = before.text; word != NULL && word < at; word++) {
        if (!word_char(*word) || word_char(word[-1]))
            continue;
        struct word name = word_name_at(word, at);
        taking = word_is(name, "for") ? word : word_is(name, "in") ? NULL : taking;
    }
    return taking != NULL;
}

/* Which argument of the call holds it, by place or keyword. */
static void argument_of(struct mention *mention, const char *open, const struct shared *shared)
{
    struct word before = {open + 1, (size_t)(shared->from - open - 1)}, items[ITEMS_MAX];
    size_t count = word_split((struct word){before.text, before.length_bytes}, ',', items, ITEMS_MAX);
    mention->place = count == 0 ? 0 : count == SIZE_MAX ? SIZE_MAX : count - 1;
    for (size_t i = 0; count != SIZE_MAX && i + 1 < count; i++)
        if (items[i].length_bytes > 0 && *items[i].text == '*') /* of unknown length */
            mention->place = SIZE_MAX;
    mention->keyword = (struct word){open, 0};
    size_t length = 0;
    const char *sign = count > 0 && count != SIZE_MAX ? word_assignment(items[count - 1], &length) : NULL;
    if (sign != NULL)
        mention->keyword = word_trimmed(items[count - 1].text, sign);
}

/* Is it the argument as such, or an item of a list or tuple that is one? */
static bool is_whole_argument(const struct shared *shared)
{
    const char *next = skip(shared->to, word_end(shared->statement));
    const char *before = skip_back(shared->from, shared->statement.text);
    return next < word_end(shared->statement) && strchr(",)]", *next) != NULL && before > shared->statement.text &&
           strchr(",([=", before[-1]) != NULL;
}

/* What stands right before a bracket: of "f(x)" the name; empty where it has none. False: the bracket groups, or is a list. */
static bool callee_of(struct word statement, const char *open, struct word *callee)
{
    static const char *const words[] = {"in", "return", "if",   "elif",   "while", "and",    "or",
                                        "is", "not",    "else", "assert", "yield", "lambda", "del"};
    const char *operand = skip_back(open, statement.text);
    *callee = word_before(operand, statement.text, true);
    return operand > statement.text && (word_char(operand[-1]) || strchr(")]", operand[-1]) != NULL) &&
           !WORD_IS_ONE_OF(*callee, words);
}

/* Handed to a call: true where what that gives may be the array still. */
static bool read_call(struct mention *mention, struct shared *shared, const char *open, struct word callee)
{
    struct word inside = word_in_bracket(open, word_end(shared->statement));
    argument_of(mention, open, shared);
    int place = mention->keyword.length_bytes > 0 ? -1 : (int)mention->place;
    bool is_named = callee.length_bytes > 0 && *callee.text != '.';
    enum array_effect effect = is_named ? array_function(callee, inside, place) : ARRAY_UNKNOWN;
    bool is_open = effect == ARRAY_UNKNOWN && (callee.length_bytes == 0 || array_is_module(callee));
    mention->kind = is_open ? MENTION_UNKNOWN : effect == ARRAY_NEW ? MENTION_READ : MENTION_HANDED;
    mention->function = callee;
    mention->in_list = shared->in_list;
    shared->in_list |= word_last_part(callee).text == callee.text || gives_parts(word_last_part(callee));
    shared->from = callee.text;
    return effect == ARRAY_SAME;
}

/* In brackets: false where `mention` says it all; else what the brackets make of it is to be looked at. */
static bool read_bracket(struct mention *mention, struct shared *shared, const char *open)
{
    const char *close = behind_bracket(open, word_end(shared->statement));
    struct word callee, inside = word_in_bracket(open, word_end(shared->statement));
    bool has_operand = callee_of(shared->statement, open, &callee), goes_on = true;
    mention->kind = MENTION_UNKNOWN;
    if (close == NULL || *open == '{')
        return false;
    if (*open == '[' && has_operand) {
        mention->kind = MENTION_READ;
        return false;
    }
    if (has_comprehension(inside) || !is_whole_argument(shared))
        return false;
    if (has_operand)
        goes_on = read_call(mention, shared, open, callee);
    else {
        shared->from = open;
        shared->in_list |= *open == '[' || memchr(inside.text, ',', inside.length_bytes) != NULL;
    }
    shared->to = close;
    return goes_on;
}

/* Of a target: "x = ...", "x[0] = ...", "x += ...". */
static void read_target(struct mention *mention, const struct shared *shared, const char *name_end, const char *sign,
                        size_t length)
{
    struct word statement = shared->statement;
    const char *next = skip(name_end, word_end(statement));
    bool whole = next < word_end(statement) && (strchr(",)]=", *next) != NULL || next == sign);
    mention->kind = !whole || length > 1 ? MENTION_STORED : MENTION_GIVEN;
    mention->value = word_trimmed(sign + length, word_end(statement));
    size_t more = 0;
    if (word_assignment(mention->value, &more) != NULL) {
        mention->kind = MENTION_UNKNOWN; /* "x = y = f()": two names of one array */
        return;
    }
    /* "x, y = a, b" */
    struct word targets[ITEMS_MAX], values[ITEMS_MAX];
    size_t count = word_split((struct word){statement.text, (size_t)(sign - statement.text)}, ',', targets, ITEMS_MAX);
    if (count == SIZE_MAX || count < 2 || word_split(mention->value, ',', values, ITEMS_MAX) != count)
        return;
    for (size_t i = 0; i < count; i++)
        if (shared->from >= targets[i].text && shared->from < word_end(targets[i]))
            mention->value = values[i];
}

static struct word first_word(struct word statement)
{
    return word_name_at(skip(statement.text, word_end(statement)), word_end(statement));
}

/* Outside of all brackets. */
static void read_statement(struct mention *mention, const struct shared *shared)
{
    static const char *const tests[] = {"if", "elif", "while", "assert"};
    struct word statement = shared->statement, first = first_word(statement), items[1];
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    const char *in = memmem(statement.text, statement.length_bytes, " in ", 4);
    bool rest = skip(shared->to, word_end(statement)) == word_end(statement);
    mention->kind = MENTION_UNKNOWN;
    if (sign != NULL && shared->from < sign)
        return; /* "[a, x] = ..." */
    if (WORD_IS_ONE_OF(first, tests) && sign == NULL) {
        mention->kind = MENTION_READ;
    } else if (word_is(first, "return")) {
        mention->kind = MENTION_RETURNED;
    } else if (word_is(first, "for") && in != NULL && in < shared->from && rest) {
        mention->kind = MENTION_SHARED;
        mention->targets = word_trimmed(word_end(first), in);
    } else if (sign != NULL && length > 1) {
        bool extends =
            shared->in_list || word_split(word_trimmed(sign + length, word_end(statement)), ',', items, 1) == SIZE_MAX;
        mention->kind = extends ? MENTION_UNKNOWN : MENTION_READ; /* "many += [x]" */
        mention->computes = true;
    } else if (sign != NULL) {
        mention->kind = MENTION_SHARED;
        mention->in_list = shared->in_list || *word_end(first) == '[';
        mention->targets = word_trimmed(statement.text, sign);
        size_t more = 0;
        struct word value = word_trimmed(sign + length, word_end(statement));
        if (word_assignment(value, &more) != NULL)
            mention->kind = MENTION_UNKNOWN; /* "a = b = x" */
    }
}

static const char *skip_name(const char *at, const char *end)
{
    return word_end(word_name_at(at, end));
}

/* "import x", "global x", "def f(x)", "with f() as x", "for x in y", "except E as x", "del x", "match x". False: none of these. */
static bool read_keyword(struct mention *mention, struct word statement, const char *at)
{
    static const char *const unknown[] = {"import", "from",  "global", "nonlocal", "del",    "with",  "async",
                                          "case",   "match", "except", "yield",    "lambda", "class", "type"};
    struct word first = first_word(statement);
    const char *in = memmem(statement.text, statement.length_bytes, " in ", 4);
    mention->kind = MENTION_UNKNOWN;
    bool goes_on = word_end(statement) > statement.text && word_end(statement)[-1] == '\\';
    if (goes_on || *skip(statement.text, word_end(statement)) == '@' ||
        memmem(statement.text, statement.length_bytes, ":=", 2) != NULL ||
        memmem(statement.text, statement.length_bytes, "lambda", 6) != NULL ||
        memmem(statement.text, statement.length_bytes, "yield", 5) != NULL ||
        memmem(statement.text, statement.length_bytes, "await", 5) != NULL)
        return true;
    if (word_is(first, "with")) { /* "with f(x):" reads it, if at all, by what f does */
        const char *as = memmem(statement.text, statement.length_bytes, " as ", 4);
        return as != NULL;
    }
    if (WORD_IS_ONE_OF(first, unknown))
        return true;
    if (word_is(first, "for") && in != NULL && at < in) {
        bool whole = strchr(", )", *skip_name(at, in)) != NULL;
        mention->kind = whole ? MENTION_GIVEN : MENTION_STORED; /* "for x[0] in y" */
        mention->value = word_trimmed(in + sizeof(" in ") - 1, word_end(statement));
        return true;
    }
    return false;
}

void mention_read(struct mention *mention, struct word code, struct word statement, const char *at, const char *behind)
{
    struct shared shared = {.code = code, .statement = statement, .from = at, .to = behind};
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    *mention = (struct mention){.value = {at, 0}, .targets = {at, 0}, .function = {at, 0}, .keyword = {at, 0}};
    if (is_taken(statement, at) || read_keyword(mention, statement, at))
        return;
    const char *open = open_bracket(at, statement.text);
    bool is_tuple = open != NULL && *open == '(' && skip(statement.text, open) == open;
    if (sign != NULL && at < sign && (open == NULL || is_tuple)) {
        read_target(mention, &shared, behind, sign, length);
        return;
    }
    for (unsigned i = 0; i < DEPTH_MAX; i++) {
        enum array_effect effect = follow(&shared);
        mention->kind = effect == ARRAY_NEW ? MENTION_READ : effect == ARRAY_STORED ? MENTION_STORED : MENTION_UNKNOWN;
        mention->computes = true;
        if (effect != ARRAY_SAME)
            return;
        mention->kind = shared.in_list ? MENTION_UNKNOWN : MENTION_READ; /* "[x] + many" */
        if (is_computed_with(&shared))
            return;
        mention->computes = false;
        open = open_bracket(shared.from, statement.text);
        mention->kind = MENTION_UNKNOWN;
        if (is_beside_keyword(&shared, open != NULL))
            return;
        if (open == NULL) {
            read_statement(mention, &shared);
            return;
        }
        if (!read_bracket(mention, &shared, open))
            return;
    }
    mention->kind = MENTION_UNKNOWN;
}

bool mention_at(struct mention *mention, const struct source *code, const char *at, struct word *name,
                struct word *statement, int32_t *row)
{
    if (!suite_statement_at(code, at, statement, row))
        return false;
    *name = (struct word){at, 0};
    while (word_char(at[name->length_bytes]))
        name->length_bytes++;
    mention_read(mention, code_text(code), *statement, at, word_end(*name));
    return true;
}
