#include "python/choices.h"

#include <string.h>

#include "python/operation.h"

static bool is_choosing_name(struct word name)
{
    static const char *const comparing[] = {
        "greater", "less", "equal", "not_equal", "isin", "isclose", "isfinite", "isnan", "isinf", "signbit",
        "any",     "all",  "gt",    "ge",        "lt",   "le",      "eq",       "ne",    "bool",  "count_nonzero"};
    static const char *const logical[] = {"greater_equal", "less_equal",  "logical_and",
                                          "logical_or",    "logical_not", "logical_xor"};
    static const char *const rounding[] = {"floor",  "ceil",  "round",    "rint",    "trunc",   "fix",    "around",
                                           "sign",   "sgn",   "copysign", "mod",     "fmod",    "divmod", "remainder",
                                           "astype", "long",  "int",      "short",   "half",    "int8",   "uint8",
                                           "int16",  "int32", "int64",    "float16", "bfloat16"};
    static const char *const dividing[] = {"floor_divide", "rounding_mode", "heaviside", "nan_to_num"};
    static const char *const bounding[] = {"minimum", "maximum", "fmin",     "fmax",      "min",    "max",
                                           "amin",    "amax",    "nanmin",   "nanmax",    "clip",   "clamp",
                                           "relu",    "relu6",   "hardtanh", "threshold", "cummax", "cummin"};
    static const char *const selecting[] = {"where",    "argmax",  "argmin",    "argsort",  "sort",     "lexsort",
                                            "topk",     "nonzero", "argwhere",  "unique",   "digitize", "bucketize",
                                            "bincount", "histc",   "histogram", "median",   "quantile", "percentile",
                                            "kthvalue", "mode",    "one_hot",   "bernoulli"};
    static const char *const of_places[] = {"searchsorted",  "flatnonzero",  "masked_fill", "argpartition", "nanargmax",
                                            "nanargmin",     "partition",    "compress",    "extract",      "select",
                                            "masked_select", "index_select", "take",        "gather",       "choose"};
    return name.length_bytes > 0 &&
           (WORD_IS_ONE_OF(name, comparing) || WORD_IS_ONE_OF(name, logical) || WORD_IS_ONE_OF(name, rounding) ||
            WORD_IS_ONE_OF(name, dividing) || WORD_IS_ONE_OF(name, bounding) || WORD_IS_ONE_OF(name, selecting) ||
            WORD_IS_ONE_OF(name, of_places));
}

static bool is_choosing_sign(struct word sign)
{
    static const char *const signs[] = {"<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "~", "//", "%"};
    return WORD_IS_ONE_OF(sign, signs);
}

bool choices_at_last(struct word expression)
{
    struct operation operation = operation_of(expression.text, expression.length_bytes);
    struct word name = {operation.name, operation.length_bytes};
    return (operation.kind == OPERATOR && is_choosing_sign(name)) ||
           (operation.kind == OPERATION_CALL && is_choosing_name(name));
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

/* "x[:, None]" and "x[np.newaxis]" take all. */
static void add_names(struct word item, struct words *names)
{
    static const char *const none[] = {"None", "newaxis"};
    for (const char *at = item.text; at < word_end(item);) {
        struct word name = word_name_at(at, word_end(item));
        if (name.length_bytes > 0 && !(*at >= '0' && *at <= '9') && !WORD_IS_ONE_OF(word_last_part(name), none))
            words_add(names, name);
        at += name.length_bytes > 0 ? name.length_bytes : 1;
    }
}

void choices_indices(struct word text, struct words *names)
{
    names->count = 0;
    for (const char *at = text.text; at < word_end(text); at++) {
        bool is_subscript = *at == '[' && at > text.text && (word_char(at[-1]) || strchr(")]", at[-1]) != NULL);
        struct word items[WORDS_MAX];
        size_t count = is_subscript ? word_split(word_in_bracket(at, word_end(text)), ',', items, WORDS_MAX) : 0;
        for (size_t i = 0; count != SIZE_MAX && i < count; i++)
            if (memchr(items[i].text, ':', items[i].length_bytes) == NULL)
                add_names(items[i], names);
    }
}

bool choices_of_places(struct word target)
{
    return chooses(target, true);
}
