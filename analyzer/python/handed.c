#include "python/handed.h"

#include <string.h>

#define ARGUMENTS_MAX 32u

/* Known to leave what they are handed as it is. */
static bool is_harmless(struct word function)
{
    static const char *const modules[] = {"np",  "numpy",  "torch",   "F",    "functional", "math",
                                          "nn",  "linalg", "special", "fft",  "scipy",      "stats",
                                          "plt", "pd",     "os",      "json", "sns"};
    static const char *const builtins[] = {
        "len",    "print",     "float",      "int",        "str",     "bool",     "sum",     "min",
        "max",    "abs",       "range",      "zip",        "list",    "tuple",    "dict",    "set",
        "sorted", "enumerate", "isinstance", "type",       "id",      "repr",     "iter",    "any",
        "all",    "round",     "hash",       "if",         "while",   "for",      "return",  "and",
        "or",     "not",       "in",         "assert",     "elif",    "yield",    "getattr", "bytes",
        "array",  "asarray",   "tensor",     "from_numpy", "hasattr", "callable", "reversed"};
    static const char *const methods[] = {
        "dot",         "matmul",     "mm",        "bmm",      "mv",           "mul",          "add",
        "sub",         "div",        "append",    "allclose", "equal",        "gather",       "where",
        "copy_",       "take",       "extend",    "put",      "write",        "masked_fill",  "logaddexp",
        "view_as",     "expand_as",  "einsum",    "outer",    "index_select", "searchsorted", "set_postfix",
        "format",      "sum",        "mean",      "std",      "var",          "max",          "min",
        "argmax",      "argmin",     "argsort",   "astype",   "copy",         "clone",        "detach",
        "reshape",     "view",       "transpose", "permute",  "ravel",        "flatten",      "squeeze",
        "unsqueeze",   "repeat",     "expand",    "clip",     "clamp",        "abs",          "exp",
        "log",         "sqrt",       "square",    "pow",      "tanh",         "sigmoid",      "softmax",
        "cumsum",      "norm",       "float",     "double",   "long",         "int",          "numpy",
        "cpu",         "item",       "tolist",    "size",     "normal",       "random",       "standard_normal",
        "integers",    "to",         "cuda",      "train",    "eval",         "chunk",        "unbind",
        "log_softmax", "logsumexp",  "relu",      "tril",     "triu",         "cumprod",      "prod",
        "nonzero",     "contiguous", "bool",      "half",     "type_as",      "new_zeros",    "new_ones",
        "new_full",    "new_tensor", "new_empty", "floor",    "ceil",         "sign",         "sin",
        "cos",         "rsqrt",      "diagonal",  "swapaxes", "numel",        "dim",          "is_contiguous",
        "expm1",       "log1p",      "log2",      "log10",    "logical_and",  "logical_or",   "logical_not",
        "isnan",       "isfinite"};
    const char *dot = memchr(function.text, '.', function.length_bytes);
    struct word first = {function.text, dot != NULL ? (size_t)(dot - function.text) : function.length_bytes};
    if (dot == NULL)
        return WORD_IS_ONE_OF(function, builtins);
    return WORD_IS_ONE_OF(first, modules) || WORD_IS_ONE_OF(word_last_part(function), methods);
}

/* "ps[0]" of "ps": a row may be a view, or an object that it holds. */
static bool is_item_of(struct word value, struct word buffer)
{
    const char *open = value.text + buffer.length_bytes;
    struct word name = {value.text, buffer.length_bytes};
    return value.length_bytes > buffer.length_bytes && word_equal(name, buffer) && *open == '[' &&
           word_end(word_in_bracket(open, word_end(value))) + 1 == word_end(value);
}

static bool is_among(struct word arguments, struct word buffer, bool items_too, struct handed *handed)
{
    struct word items[ARGUMENTS_MAX];
    size_t count = word_split(arguments, ',', items, ARGUMENTS_MAX);
    for (size_t place = 0; count != SIZE_MAX && place < count; place++) {
        size_t length = 0;
        const char *sign = word_assignment(items[place], &length);
        struct word value = items[place];
        handed->place = place;
        handed->keyword = (struct word){value.text, 0};
        if (sign != NULL && length == 1) {
            handed->keyword = word_trimmed(value.text, sign);
            value = word_trimmed(sign + 1, value.text + value.length_bytes);
        }
        if (word_equal(value, buffer) || (items_too && is_item_of(value, buffer)))
            return true;
    }
    return false;
}

/* ".mean" of "f(x).mean(0)", which is a method. */
static struct word with_dot(struct word name, struct word statement)
{
    bool is_method = name.text > statement.text && name.text[-1] == '.';
    return is_method ? (struct word){name.text - 1, name.length_bytes + 1} : name;
}

static bool find(struct word statement, struct word buffer, bool items_too, struct handed *handed)
{
    const char *end = statement.text + statement.length_bytes;
    for (const char *at = statement.text; at < end;) {
        struct word name = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        const char *behind = name.text + name.length_bytes;
        bool called =
            name.length_bytes > 0 && behind < end && *behind == '(' && !is_harmless(with_dot(name, statement));
        bool unnamed = items_too && *at == '(' && at > statement.text && strchr(")]", at[-1]) != NULL;
        behind = unnamed ? at : behind;
        if ((called || unnamed) && is_among(word_in_bracket(behind, end), buffer, items_too, handed)) {
            handed->function = name;
            handed->is_behind_dot = with_dot(name, statement).length_bytes > name.length_bytes;
            handed->arguments = word_in_bracket(behind, end);
            return true;
        }
        at = name.length_bytes > 0 ? behind : at + 1;
    }
    return false;
}

bool handed_find(struct word statement, struct word buffer, struct handed *handed)
{
    return find(statement, buffer, false, handed);
}

bool handed_find_item(struct word statement, struct word buffer, struct handed *handed)
{
    return find(statement, buffer, true, handed);
}

bool handed_is_of_arrays(struct word function)
{
    static const char *const modules[] = {"np", "numpy", "torch", "F", "functional", "linalg"};
    const char *dot = memchr(function.text, '.', function.length_bytes);
    struct word first = {function.text, dot != NULL ? (size_t)(dot - function.text) : 0};
    return WORD_IS_ONE_OF(first, modules);
}

bool handed_next_other(struct word *rest, struct word *function)
{
    const char *end = word_end(*rest);
    for (const char *at = rest->text; at < end;) {
        struct word name = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        const char *behind = word_end(name);
        bool called = name.length_bytes > 0 && behind < end && *behind == '(';
        at = name.length_bytes > 0 ? behind : at + 1;
        if (called && !is_harmless(with_dot(name, *rest))) {
            *rest = (struct word){at, (size_t)(end - at)};
            *function = name;
            return true;
        }
    }
    return false;
}

bool handed_calls_others(struct word statement)
{
    struct word function;
    return handed_next_other(&statement, &function);
}
