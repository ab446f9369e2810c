#include "python/stores.h"

#include <string.h>

#include "python/handed.h"

#define PARAMETERS_MAX 32u

/* "h.sort", "h.mul_": a method that changes what it belongs to, of NumPy or by PyTorch's rule for their names. */
static bool is_changing_method(struct word name)
{
    static const char *const methods[] = {"sort", "fill", "partition", "put", "itemset", "setfield", "update"};
    struct word last = word_last_part(name);
    bool underscore = last.length_bytes > 1 && last.text[last.length_bytes - 1] == '_' && last.text[0] != '_';
    return last.text != name.text && (underscore || WORD_IS_ONE_OF(last, methods));
}

/* "np.copyto(h, ...)", which changes its first argument. */
static bool changes_first(struct word name, const char *bracket, const char *end, struct word buffer)
{
    static const char *const functions[] = {"copyto",        "at",      "put",           "place", "putmask",
                                            "fill_diagonal", "shuffle", "put_along_axis"};
    const char *first = word_skip_blanks(bracket + 1, end);
    return WORD_IS_ONE_OF(word_last_part(name), functions) && first < end &&
           word_equal(word_name_at(first, end), buffer);
}

/* "f(x, inplace=True)" and PyTorch's "f_(x)": of functions that change their first argument where they are asked to. */
static bool changes_in_place(struct word name, const char *bracket, const char *end, struct word buffer)
{
    struct word arguments = word_in_bracket(bracket, end);
    const char *first = word_skip_blanks(arguments.text, end);
    static const char *const asking[] = {"inplace=True", "overwrite_", "copy=False"};
    bool asked = false;
    for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]) && !asked; i++)
        asked = memmem(arguments.text, arguments.length_bytes, asking[i], strlen(asking[i])) != NULL;
    bool by_name = name.length_bytes > 1 && name.text[name.length_bytes - 1] == '_';
    return (asked || by_name) && first < end && word_equal(word_name_at(first, end), buffer);
}

/* Where NumPy's functions take out without its name: behind so many arguments; 0: nowhere, as far as is known. */
static size_t place_of_out(struct word function)
{
    static const char *const of_one[] = {
        "exp",     "exp2",    "expm1",   "log",        "log2",    "log10",       "log1p",     "sqrt",
        "cbrt",    "square",  "abs",     "absolute",   "fabs",    "sign",        "negative",  "positive",
        "sin",     "cos",     "tan",     "arcsin",     "arccos",  "arctan",      "sinh",      "cosh",
        "tanh",    "arcsinh", "arccosh", "arctanh",    "floor",   "ceil",        "trunc",     "rint",
        "isnan",   "isinf",   "signbit", "isfinite",   "invert",  "logical_not", "conjugate", "conj",
        "deg2rad", "rad2deg", "spacing", "reciprocal", "degrees", "radians"};
    static const char *const of_two[] = {
        "add",         "subtract",    "multiply",   "divide",      "true_divide", "floor_divide",  "power",
        "float_power", "mod",         "remainder",  "fmod",        "maximum",     "minimum",       "fmax",
        "fmin",        "hypot",       "arctan2",    "logaddexp",   "logaddexp2",  "matmul",        "dot",
        "outer",       "copysign",    "heaviside",  "logical_and", "logical_or",  "logical_xor",   "bitwise_and",
        "bitwise_or",  "bitwise_xor", "left_shift", "right_shift", "greater",     "greater_equal", "less",
        "less_equal",  "equal",       "not_equal",  "nextafter",   "ldexp",       "round",         "around"};
    return WORD_IS_ONE_OF(function, of_one) ? 1 : WORD_IS_ONE_OF(function, of_two) ? 2 : 0;
}

/* "np.exp(h, h)", "np.add(x, y, h)" */
static bool is_out_by_place(struct word name, const char *bracket, const char *end, struct word buffer)
{
    struct word items[PARAMETERS_MAX];
    size_t place = handed_is_of_arrays(name) ? place_of_out(word_last_part(name)) : 0;
    size_t count = place > 0 ? word_split(word_in_bracket(bracket, end), ',', items, PARAMETERS_MAX) : 0;
    return count != SIZE_MAX && count > place && word_equal(items[place], buffer);
}

/* "h.view(6, -1)[2].mul_(2)" */
static bool is_chain_in_place(struct word statement, struct word buffer)
{
    const char *end = statement.text + statement.length_bytes, *at = word_skip_blanks(statement.text, end);
    if (at == end || !word_is_part_of(word_name_at(at, end), buffer))
        return false;
    while ((at = memmem(at, (size_t)(end - at), "_(", 2)) != NULL) {
        const char *first = at;
        while (first > statement.text && word_char(first[-1]))
            first--;
        if (first < at && first > statement.text && first[-1] == '.')
            return true;
        at += 2;
    }
    return false;
}

/* Does a call in the text store into the buffer? */
static bool calls_change(struct word text, struct word buffer)
{
    const char *end = text.text + text.length_bytes;
    for (const char *at = text.text; at < end;) {
        struct word name = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        const char *behind = name.length_bytes > 0 ? word_skip_blanks(word_end(name), end) : at;
        bool called = name.length_bytes > 0 && behind < end && *behind == '(';
        bool is_out = word_equal(name, buffer) && ((at - text.text > 4 && memcmp(at - 4, "out=", 4) == 0) ||
                                                   (at - text.text > 5 && memcmp(at - 5, "out=(", 5) == 0));
        if (is_out || (called && word_is_part_of(name, buffer) && is_changing_method(name)) ||
            (called && (changes_first(name, behind, end, buffer) || changes_in_place(name, behind, end, buffer) ||
                        is_out_by_place(name, behind, end, buffer))))
            return true;
        at = name.length_bytes > 0 ? name.text + name.length_bytes : at + 1;
    }
    return false;
}

/* Of one target of an assignment. */
static enum store_effect effect_on(struct word target, bool augmented, struct word buffer)
{
    static const char *const contents[] = {"data", "flat", "real", "imag"};
    const char *end = target.text + target.length_bytes;
    struct word name = word_name_at(target.text, end);
    const char *behind = word_skip_blanks(name.text + name.length_bytes, end);
    if (!word_is_part_of(name, buffer))
        return STORE_NONE;
    if (behind < end)
        return *behind == '[' ? STORE_CHANGES : STORE_NONE;
    if (!word_equal(name, buffer)) /* "x.data = y" */
        return WORD_IS_ONE_OF(word_last_part(name), contents) ? STORE_CHANGES : STORE_NONE;
    return augmented ? STORE_CHANGES : STORE_REBINDS;
}

enum store_effect stores_effect(struct word statement, struct word buffer)
{
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    struct word targets[PARAMETERS_MAX];
    enum store_effect effect = STORE_NONE;
    if (calls_change(statement, buffer) || (sign == NULL && is_chain_in_place(statement, buffer)))
        return STORE_CHANGES;
    if (sign == NULL)
        return STORE_NONE;
    size_t count =
        word_split((struct word){statement.text, (size_t)(sign - statement.text)}, ',', targets, PARAMETERS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count && effect != STORE_CHANGES; i++) {
        enum store_effect one = effect_on(targets[i], length > 1, buffer);
        effect = one != STORE_NONE ? one : effect;
    }
    return effect;
}

/* "name[        ]", and no more. */
static bool is_column_of(struct word target, struct word buffer)
{
    const char *end = word_end(target);
    struct word name = word_name_at(target.text, end);
    const char *open = word_skip_blanks(word_end(name), end);
    if (!word_equal(name, buffer) || open == end || *open != '[')
        return false;
    struct word key = word_in_bracket(open, end);
    return key.length_bytes > 0 && word_skip_blanks(key.text, word_end(key)) == word_end(key) && word_end(key) < end &&
           word_skip_blanks(word_end(key) + 1, end) == end;
}

bool stores_column(struct word statement, struct word buffer)
{
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    return sign != NULL && length == 1 && is_column_of(word_trimmed(statement.text, sign), buffer) &&
           !calls_change(statement, buffer);
}
