#include "python/array_value.h"

#include <ctype.h>
#include <string.h>

#include "python/array_calls.h"
#include "python/draws.h"
#include "python/operation.h"

#define DEPTH_MAX 8u
#define INDEX_DEPTH_MAX 3u

static const struct value unknown = {.kind = VALUE_UNKNOWN};
static const struct value fresh = {.kind = VALUE_NEW};

/* The bracket that the text ends with: where it opens; NULL where it ends with none. */
static const char *last_bracket(struct word text)
{
    int depth = 0;
    for (const char *at = word_end(text); at-- > text.text;) {
        depth += strchr(")]}", *at) != NULL;
        depth -= strchr("([{", *at) != NULL;
        if (depth == 0)
            return strchr("([{", *at) != NULL ? at : NULL;
    }
    return NULL;
}

static bool is_dotted(struct word text)
{
    return text.length_bytes > 0 && word_name_at(text.text, word_end(text)).length_bytes == text.length_bytes &&
           !isdigit((unsigned char)*text.text);
}

/* "numpy" of "x[0].numpy": what stands behind the last dot outside of brackets; empty where it is no name. */
static struct word last_step(struct word text, struct word *object)
{
    const char *at = word_end(text);
    while (at > text.text && word_char(at[-1]))
        at--;
    struct word step = {at, (size_t)(word_end(text) - at)};
    *object = (struct word){text.text, 0};
    if (at == text.text || at[-1] != '.' || step.length_bytes == 0)
        return (struct word){text.text, 0};
    *object = word_trimmed(text.text, at - 1);
    return step;
}

static struct value value_within(struct word text, unsigned depth);

static struct value value_of_method(struct word step, struct word object, struct word arguments, unsigned depth)
{
    switch (array_method(step, arguments)) {
    case ARRAY_NEW:
        return fresh;
    case ARRAY_SAME:
        return value_within(object, depth + 1);
    default:
        return unknown;
    }
}

/* Does hardly anything but an array have a method of that name? A store of somebody's own may give what it keeps by array(). */
static bool is_of_arrays_alone(struct word method)
{
    static const char *const names[] = {
        "sum",  "mean",    "std",    "reshape", "astype", "ravel",   "transpose", "flatten",   "float", "double",
        "long", "permute", "cumsum", "clip",    "clamp",  "squeeze", "unsqueeze", "detach",    "numpy", "abs",
        "exp",  "log",     "sqrt",   "tanh",    "copy",   "clone",   "t",         "contiguous"};
    return WORD_IS_ONE_OF(method, names);
}

static struct value value_of_call(struct word callee, struct word arguments, unsigned depth)
{
    struct word object, step = last_step(callee, &object), first[WORDS_MAX];
    struct word method = {step.text - 1, step.length_bytes + 1};
    if (step.length_bytes > 0 && draws_by_name(method) && !word_is(step, "dropout"))
        return array_method(step, arguments) == ARRAY_STORED || array_takes_out(arguments)
                   ? unknown
                   : fresh; /* "np.random.default_rng(0).normal(size=n)" */
    if (!is_dotted(callee))
        return step.length_bytes > 0 ? value_of_method(step, object, arguments, depth) : unknown;
    enum array_effect effect = array_function(callee, arguments, 0);
    size_t count = word_split(arguments, ',', first, WORDS_MAX);
    if (effect == ARRAY_NEW)
        return fresh;
    if (effect == ARRAY_SAME)
        return count > 0 && count != SIZE_MAX ? value_within(first[0], depth + 1) : unknown;
    if (array_is_module(callee))
        return unknown;
    if (step.length_bytes == 0)
        return (struct value){VALUE_CALLED, callee};
    return is_of_arrays_alone(step) ? value_of_method(step, object, arguments, depth) : unknown;
}

static struct value value_of_name(struct word text, unsigned depth)
{
    struct word object, step = last_step(text, &object);
    if (isdigit((unsigned char)*text.text) || word_is(text, "None") || word_is(text, "True") || word_is(text, "False"))
        return fresh;
    if (is_dotted(text) && !word_is_keyword(text) && (step.length_bytes == 0 || word_is(object, "self")))
        return (struct value){VALUE_SHARED, text};
    if (step.length_bytes == 0)
        return unknown;
    switch (array_attribute(step)) {
    case ARRAY_NEW:
        return fresh;
    case ARRAY_SAME:
        return value_within(object, depth + 1);
    default:
        return unknown;
    }
}

static struct value value_within(struct word text, unsigned depth)
{
    text = word_trimmed(text.text, word_end(text));
    if (text.length_bytes == 0 || depth > DEPTH_MAX || *text.text == '+')
        return unknown;
    struct operation operation = operation_of(text.text, text.length_bytes);
    const char *open = last_bracket(text);
    struct word before = open != NULL ? word_trimmed(text.text, open) : text;
    if (operation.kind == OPERATOR)
        return fresh;
    if (operation.kind == OPERATION_CALL && open != NULL)
        return value_of_call(before, word_in_bracket(open, word_end(text)), depth);
    if (operation.kind == OPERATION_SUBSCRIPT)
        return value_within(before, depth + 1);
    if (open != NULL && open == text.text && *open == '(')
        return value_within(word_in_bracket(open, word_end(text)), depth + 1);
    return open == NULL ? value_of_name(text, depth) : unknown;
}

struct value value_of(struct word expression)
{
    return value_within(expression, 0);
}

/* "rng.permutation(n)", "rng.integers(0, n, 64)", "order[i:i + 64]" */
static bool makes_indices(struct word code, struct word value, unsigned depth);

/* "for name in": in a header or a comprehension. */
static bool is_taken_of_many(struct word statement, struct word name)
{
    for (const char *at = statement.text; (at = memmem(at, (size_t)(word_end(statement) - at), "for ", 4)) != NULL;
         at += 4) {
        const char *in = memmem(at, (size_t)(word_end(statement) - at), " in ", 4);
        if (in == NULL || word_mentions((struct word){at, (size_t)(in - at)}, name) > 0)
            return true;
    }
    return false;
}

/* What the code gives the name, each time. */
static bool holds_indices(struct word code, struct word name, unsigned depth)
{
    struct word rest = code, statement, target, value;
    size_t given = 0;
    if (depth > INDEX_DEPTH_MAX || !is_dotted(name))
        return false;
    while (word_next_statement(&rest, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        if (statement.length_bytes == 0 || word_mentions(statement, name) == 0)
            continue;
        if (word_is(word_name_at(statement.text, word_end(statement)), "def") || is_taken_of_many(statement, name))
            return false;
        if (!word_gives(statement, name))
            continue;
        if (!word_assigned(statement, &target, &value) || !word_equal(target, name) ||
            !makes_indices(code, value, depth + 1))
            return false;
        given++;
    }
    return given > 0;
}

/* "size=64", or the argument at that place: without one a number is drawn, which takes a view of a row. */
static bool has_size(const struct word *arguments, size_t count, size_t place)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *sign = word_assignment(arguments[i], &length);
        struct word value = sign != NULL ? word_trimmed(sign + length, word_end(arguments[i])) : arguments[i];
        bool is_size = sign != NULL ? word_is(word_trimmed(arguments[i].text, sign), "size") : i == place;
        if (is_size)
            return value.length_bytes > 0 && !word_is(value, "None") && !word_is(value, "()");
    }
    return false;
}

static bool makes_indices(struct word code, struct word value, unsigned depth)
{
    static const char *const arrays[] = {"permutation", "randperm", "argsort", "flatnonzero", "arange"};
    static const char *const drawn[] = {"integers", "randint", "choice"};
    struct word items[WORDS_MAX], function, arguments;
    const char *open = last_bracket(value);
    if (open != NULL && *open == '[') {
        struct word inside = word_in_bracket(open, word_end(value));
        return memchr(inside.text, ':', inside.length_bytes) != NULL &&
               memchr(inside.text, ',', inside.length_bytes) == NULL &&
               holds_indices(code, word_trimmed(value.text, open), depth);
    }
    if (!word_call(value, &function, &arguments))
        return false;
    size_t count = word_split(arguments, ',', items, WORDS_MAX);
    bool is_module = word_last_part(function).text != function.text;
    if (count == SIZE_MAX || !is_module)
        return false;
    bool sized = has_size(items, count, word_is(word_last_part(function), "choice") ? 1u : 2u);
    return WORD_IS_ONE_OF(word_last_part(function), arrays) ||
           (WORD_IS_ONE_OF(word_last_part(function), drawn) && sized);
}

bool index_is_array(struct word code, struct word subscript)
{
    return holds_indices(code, word_trimmed(subscript.text, word_end(subscript)), 0);
}
