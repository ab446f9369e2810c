#include "python/choices.h"

#include <string.h>

static bool is_choosing_name(struct word name)
{
    static const char *const calls[] = {
        "where",       "minimum",  "maximum",     "fmin",         "fmax",         "clip",        "clamp",   "sign",
        "floor",       "ceil",     "round",       "rint",         "trunc",        "argmax",      "argmin",  "argsort",
        "sort",        "digitize", "nonzero",     "argwhere",     "searchsorted", "flatnonzero", "isin",    "isclose",
        "isfinite",    "isnan",    "heaviside",   "relu",         "bincount",     "histogram",   "unique",  "topk",
        "masked_fill", "astype",   "logical_and", "logical_or",   "greater",      "less",        "long",    "int",
        "bool",        "min",      "max",         "argpartition", "half",         "bfloat16",    "float16", "int8",
        "uint8",       "int16",    "nan_to_num",  "one_hot"};
    return name.length_bytes > 0 && WORD_IS_ONE_OF(name, calls);
}

static bool chooses_at(const char *at, const char *end, bool is_index)
{
    bool has_next = at + 1 < end;
    bool compares = strchr("<>&|^~", *at) != NULL || (has_next && (*at == '=' || *at == '!') && at[1] == '=');
    bool rounds = *at == '%' || (has_next && at[0] == '/' && at[1] == '/');
    return compares || (rounds && !is_index);
}

static bool chooses(struct word expression, bool is_index)
{
    const char *end = word_end(expression);
    for (const char *at = expression.text; at < end;) {
        struct word name = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        bool is_name = name.length_bytes > 0;
        if (is_name ? is_choosing_name(word_last_part(name)) : chooses_at(at, end, is_index))
            return true;
        at = is_name ? word_end(name) : at + 1;
    }
    return false;
}

bool choices_somewhere(struct word expression)
{
    return chooses(expression, false);
}

bool choices_of_places(struct word target)
{
    return chooses(target, true);
}
