#include "findings/handed.h"

#include <string.h>

static bool is_one_of(struct word word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (word_is(word, names[i]))
            return true;
    return false;
}

#define IS_ONE_OF(word, names) is_one_of(word, names, sizeof(names) / sizeof((names)[0]))

/* Known to leave what they are handed as it is. */
static bool is_harmless(struct word function)
{
    static const char *const modules[] = {"np",  "numpy",  "torch",   "F",    "functional", "math",
                                          "nn",  "linalg", "special", "fft",  "scipy",      "stats",
                                          "plt", "pd",     "os",      "json", "sns"};
    static const char *const builtins[] = {
        "len",        "print", "float",   "int",    "str",   "bool",    "sum",    "min",       "max",
        "abs",        "range", "zip",     "list",   "tuple", "dict",    "set",    "sorted",    "enumerate",
        "isinstance", "type",  "id",      "repr",   "iter",  "any",     "all",    "round",     "hash",
        "if",         "while", "for",     "return", "and",   "or",      "not",    "in",        "assert",
        "elif",       "yield", "getattr", "bytes",  "array", "asarray", "tensor", "from_numpy"};
    static const char *const methods[] = {
        "dot",    "matmul",       "mm",           "bmm",         "mv",        "mul",     "add",       "sub",
        "div",    "append",       "allclose",     "equal",       "gather",    "where",   "copy_",     "take",
        "extend", "put",          "write",        "masked_fill", "logaddexp", "view_as", "expand_as", "einsum",
        "outer",  "index_select", "searchsorted", "set_postfix", "format"};
    const char *dot = memchr(function.text, '.', function.length_bytes);
    struct word first = {function.text, dot != NULL ? (size_t)(dot - function.text) : function.length_bytes};
    if (dot == NULL)
        return IS_ONE_OF(function, builtins);
    return IS_ONE_OF(first, modules) || IS_ONE_OF(word_last_part(function), methods);
}

/* The next of a call's arguments, which ends at a comma outside of brackets. False behind the last. */
static bool next_argument(struct word *rest, struct word *argument)
{
    const char *end = rest->text + rest->length_bytes, *at = word_skip_blanks(rest->text, end), *first = at;
    size_t depth = 0;
    if (at == end)
        return false;
    for (; at < end && (depth > 0 || *at != ','); at++) {
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
    }
    *rest = at < end ? (struct word){at + 1, (size_t)(end - at - 1)} : (struct word){end, 0};
    while (at > first && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    *argument = (struct word){first, (size_t)(at - first)};
    return true;
}

static bool is_among(struct word arguments, struct word buffer, struct handed *handed)
{
    struct word argument;
    for (size_t place = 0; next_argument(&arguments, &argument); place++) {
        size_t length = 0;
        const char *sign = word_assignment(argument, &length);
        struct word value = argument;
        handed->place = place;
        handed->keyword = (struct word){argument.text, 0};
        if (sign != NULL && length == 1) {
            handed->keyword.length_bytes = (size_t)(sign - argument.text);
            value = (struct word){sign + 1, argument.length_bytes - handed->keyword.length_bytes - 1};
        }
        if (word_equal(value, buffer))
            return true;
    }
    return false;
}

bool handed_find(struct word statement, struct word buffer, struct handed *handed)
{
    const char *end = statement.text + statement.length_bytes;
    for (const char *at = statement.text; at < end;) {
        struct word name = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        const char *behind = name.text + name.length_bytes;
        bool called = name.length_bytes > 0 && behind < end && *behind == '(';
        if (called && !is_harmless(name) && is_among(word_in_bracket(behind, end), buffer, handed)) {
            handed->function = name;
            return true;
        }
        at = name.length_bytes > 0 ? behind : at + 1;
    }
    return false;
}
