#include "python/reduction.h"

#include <ctype.h>
#include <string.h>

#define ARGUMENTS_MAX 8u

static bool is_reduction(struct word name)
{
    static const char *const names[] = {
        "sum",       "mean",      "std",     "var",    "max",        "min",           "amax",   "amin",   "prod",
        "norm",      "median",    "any",     "all",    "percentile", "quantile",      "argmax", "argmin", "trace",
        "nansum",    "nanmean",   "nanstd",  "nanvar", "nanmax",     "count_nonzero", "nanmin", "ptp",    "average",
        "logsumexp", "nanmedian", "aminmax", "cov",    "bincount",   "corrcoef"};
    return WORD_IS_ONE_OF(name, names);
}

static bool is_module(struct word name)
{
    static const char *const modules[] = {"np", "numpy", "torch", "np.linalg", "numpy.linalg", "torch.linalg"};
    return WORD_IS_ONE_OF(name, modules);
}

/* "x" */
static bool is_operand(struct word text)
{
    struct word name = word_name_at(text.text, word_end(text));
    return name.length_bytes > 0 && word_equal(name, text) && !isdigit((unsigned char)*text.text) &&
           !word_is_keyword(text) && word_last_part(name).text == name.text;
}

/* "self.x" */
static bool is_attribute(struct word text)
{
    struct word name = word_name_at(text.text, word_end(text)), root = word_first_part(name),
                last = word_last_part(name);
    return word_equal(name, text) && word_is(root, "self") && last.text == word_end(root) + 1;
}

/* "0", "-1", "None", "True", "(0, 1)", "np.float64", and a string, of which nothing is left. */
static bool is_literal(struct word text)
{
    static const char *const words[] = {"None", "True", "False", "float", "int", "bool"};
    struct word items[ARGUMENTS_MAX];
    if (text.length_bytes == 0 || word_is_number(text) || WORD_IS_ONE_OF(text, words))
        return true;
    struct word last = word_last_part(text);
    if (last.text > text.text && is_module((struct word){text.text, (size_t)(last.text - text.text) - 1}))
        return word_equal(word_name_at(text.text, word_end(text)), text);
    if (*text.text != '(' && *text.text != '[')
        return false;
    struct word inside = word_in_bracket(text.text, word_end(text));
    size_t count = word_split(inside, ',', items, ARGUMENTS_MAX);
    bool known = count != SIZE_MAX && word_end(inside) + 1 == word_end(text);
    for (size_t i = 0; known && i < count; i++)
        known = word_is_number(items[i]) || items[i].length_bytes == 0;
    return known;
}

static bool read_setting(struct reduction *reduction, struct word value)
{
    if (is_literal(value))
        return true;
    words_add(&reduction->names, value);
    return is_operand(value) && reduction->names.count < WORDS_MAX;
}

/* "axis=0", "2", "keepdims=True", "minlength=k" */
static bool read_argument(struct reduction *reduction, struct word argument)
{
    static const char *const keys[] = {"axis", "dim",    "keepdims",      "keepdim",   "dtype",
                                       "ord",  "p",      "ddof",          "unbiased",  "correction",
                                       "q",    "method", "interpolation", "minlength", "rowvar"};
    size_t length = 0;
    const char *sign = word_assignment(argument, &length);
    if (sign == NULL)
        return is_literal(argument);
    return length == 1 && WORD_IS_ONE_OF(word_trimmed(argument.text, sign), keys) &&
           read_setting(reduction, word_trimmed(sign + 1, word_end(argument)));
}

/* Of "rng.choice(n, size=k, p=x)": with replacement, for NumPy draws anew until each is another one else. */
static bool read_draw(const struct word *arguments, size_t count, struct reduction *reduction)
{
    bool found = false, replaces = true;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *sign = word_assignment(arguments[i], &length);
        if (sign == NULL)
            continue;
        struct word key = word_trimmed(arguments[i].text, sign),
                    value = word_trimmed(sign + length, word_end(arguments[i]));
        replaces = replaces && (!word_is(key, "replace") || word_is(value, "True"));
        if (word_is(key, "p")) {
            *reduction = (struct reduction){.operand = value, .draws = true};
            found = is_operand(value);
        }
    }
    return found && replaces && count <= 3;
}

bool reduction_read(struct word code, struct reduction *reduction)
{
    struct word function, arguments, items[ARGUMENTS_MAX];
    if (!word_call(word_trimmed(code.text, word_end(code)), &function, &arguments))
        return false;
    struct word last = word_last_part(function);
    size_t count = word_split(arguments, ',', items, ARGUMENTS_MAX);
    if (last.text == function.text || count == SIZE_MAX)
        return false;
    if (word_is(last, "choice"))
        return read_draw(items, count, reduction);
    if (!is_reduction(last))
        return false;
    struct word object = {function.text, (size_t)(last.text - function.text) - 1};
    bool is_function = is_module(object);
    if (is_function && count == 0)
        return false;
    *reduction =
        (struct reduction){.operand = is_function ? items[0] : object, .has_settings = count > (is_function ? 1u : 0u)};
    for (size_t i = is_function ? 1 : 0; i < count; i++)
        if (!read_argument(reduction, items[i]))
            return false;
    return is_operand(reduction->operand) || (is_attribute(reduction->operand) && reduction->names.count == 0);
}
