#include "python/array_calls.h"

#include <ctype.h>
#include <string.h>

#include "python/draws.h"

/* "copy=False", "out=x", "overwrite_a=True", "*rest": whichever of the arguments it is said of. */
static bool is_special(struct word arguments)
{
    static const char *const keys[] = {"copy",        "out",         "inplace",   "overwrite_a",
                                       "overwrite_b", "overwrite_x", "mmap_mode", "overwrite_input"};
    struct word items[WORDS_MAX];
    size_t count = word_split(arguments, ',', items, WORDS_MAX);
    if (count == SIZE_MAX)
        return true;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *sign = word_assignment(items[i], &length);
        if (items[i].length_bytes > 0 && *items[i].text == '*')
            return true;
        if (sign != NULL && WORD_IS_ONE_OF(word_trimmed(items[i].text, sign), keys))
            return true;
    }
    return false;
}

bool array_takes_out(struct word arguments)
{
    return is_special(arguments);
}

static bool ends_in_underscore(struct word name)
{
    return name.length_bytes > 1 && word_end(name)[-1] == '_';
}

/* Of one array, which is the first argument of the function. */
static bool makes_new_of_one(struct word name)
{
    static const char *const names[] = {
        "sum",           "mean",          "std",         "var",        "max",         "min",       "amax",
        "amin",          "prod",          "any",         "all",        "argmax",      "argmin",    "argsort",
        "norm",          "median",        "quantile",    "percentile", "trace",       "nansum",    "nanmean",
        "nanstd",        "nanvar",        "nanmax",      "nanmin",     "nanmedian",   "average",   "ptp",
        "count_nonzero", "nonzero",       "cumsum",      "cumprod",    "logsumexp",   "bincount",  "histogram",
        "unique",        "square",        "sqrt",        "exp",        "log",         "log1p",     "expm1",
        "log2",          "log10",         "abs",         "absolute",   "sign",        "sin",       "cos",
        "tan",           "tanh",          "sigmoid",     "softmax",    "log_softmax", "isnan",     "isfinite",
        "isinf",         "stack",         "concatenate", "vstack",     "hstack",      "cat",       "tile",
        "copy",          "clone",         "tolist",      "item",       "zeros_like",  "ones_like", "empty_like",
        "full_like",     "shape",         "size",        "ndim",       "round",       "floor",     "ceil",
        "numel",         "dim",           "diff",        "one_hot",    "array",       "tensor",    "zeros",
        "ones",          "empty",         "full",        "eye",        "arange",      "linspace",  "logspace",
        "identity",      "cov",           "corrcoef",    "clip",       "clamp",       "load",      "loadtxt",
        "genfromtxt",    "is_contiguous", "flatnonzero", "repeat"};
    return WORD_IS_ONE_OF(name, names);
}

/* Of two, or more. */
static bool makes_new_of_two(struct word name)
{
    static const char *const names[] = {"dot",
                                        "matmul",
                                        "mm",
                                        "bmm",
                                        "mv",
                                        "outer",
                                        "inner",
                                        "tensordot",
                                        "kron",
                                        "mul",
                                        "add",
                                        "sub",
                                        "div",
                                        "multiply",
                                        "subtract",
                                        "divide",
                                        "power",
                                        "pow",
                                        "maximum",
                                        "minimum",
                                        "allclose",
                                        "equal",
                                        "not_equal",
                                        "array_equal",
                                        "greater",
                                        "less",
                                        "eq",
                                        "ne",
                                        "gt",
                                        "ge",
                                        "lt",
                                        "le",
                                        "searchsorted",
                                        "isin",
                                        "cdist",
                                        "mse_loss",
                                        "l1_loss",
                                        "nll_loss",
                                        "where",
                                        "interp",
                                        "cross_entropy",
                                        "linear",
                                        "conv1d",
                                        "conv2d",
                                        "conv3d",
                                        "binary_cross_entropy",
                                        "binary_cross_entropy_with_logits"};
    return WORD_IS_ONE_OF(name, names);
}

static bool may_be_same(struct word name)
{
    static const char *const names[] = {"reshape",   "ravel",        "view",       "transpose",  "swapaxes",
                                        "squeeze",   "diagonal",     "asarray",    "asanyarray", "flip",
                                        "moveaxis",  "expand_dims",  "atleast_1d", "atleast_2d", "from_numpy",
                                        "as_tensor", "broadcast_to", "numpy",      "detach",     "unsqueeze",
                                        "permute",   "narrow",       "flatten",    "contiguous", "select",
                                        "t",         "cpu",          "cuda",       "to",         "float",
                                        "double",    "long",         "int",        "half",       "bool",
                                        "type",      "astype",       "expand",     "view_as",    "split",
                                        "movedim",   "array_split",  "chunk",      "fliplr",     "ascontiguousarray",
                                        "flipud",    "rot90"};
    return WORD_IS_ONE_OF(name, names);
}

enum array_effect array_method(struct word name, struct word arguments)
{
    static const char *const stores[] = {"sort", "fill", "partition", "put", "itemset", "setfield", "resize"};
    if (may_be_same(name))
        return ARRAY_SAME;
    if (ends_in_underscore(name) || WORD_IS_ONE_OF(name, stores))
        return ARRAY_STORED;
    return (makes_new_of_one(name) || makes_new_of_two(name)) && !is_special(arguments) ? ARRAY_NEW : ARRAY_UNKNOWN;
}

enum array_effect array_attribute(struct word name)
{
    static const char *const facts[] = {"shape",    "size",   "dtype",  "ndim",          "device",
                                        "itemsize", "nbytes", "layout", "requires_grad", "is_cuda"};
    static const char *const views[] = {"T", "mT", "H", "real", "imag", "flat"};
    if (WORD_IS_ONE_OF(name, facts))
        return ARRAY_NEW;
    return WORD_IS_ONE_OF(name, views) ? ARRAY_SAME : ARRAY_UNKNOWN;
}

bool array_is_module(struct word function)
{
    static const char *const modules[] = {"np", "numpy", "torch", "F"};
    const char *dot = memchr(function.text, '.', function.length_bytes);
    return dot != NULL && WORD_IS_ONE_OF(((struct word){function.text, (size_t)(dot - function.text)}), modules);
}

/* Behind its arrays a function of NumPy's takes the one to store into. */
static bool is_read(struct word name, int place)
{
    static const char *const of_three[] = {"where", "interp", "linear", "conv1d", "conv2d", "conv3d"};
    if (place <= 0)
        return true;
    return place == 1 ? makes_new_of_two(name) : place == 2 && WORD_IS_ONE_OF(name, of_three);
}

static bool draws_numbers(struct word function)
{
    static const char *const others[] = {"shuffle", "dropout"};
    struct word last = word_last_part(function);
    bool is_python = word_is((struct word){function.text, (size_t)(last.text - function.text)}, "random.");
    return draws_by_name(function) && !is_python && !WORD_IS_ONE_OF(last, others) &&
           !isupper((unsigned char)*last.text);
}

enum array_effect array_function(struct word function, struct word arguments, int place)
{
    static const char *const builtins[] = {"len",  "print", "float", "int",        "str",   "bool", "abs",
                                           "type", "repr",  "id",    "isinstance", "round", "range"};
    static const char *const containers[] = {"zip", "enumerate", "list", "tuple", "iter", "reversed"};
    static const char *const methods[] = {"dot", "matmul", "mm", "bmm", "mv", "mul", "sub", "div", "eq", "ne", "pow"};
    struct word last = word_last_part(function);
    if (last.text == function.text && WORD_IS_ONE_OF(function, builtins))
        return ARRAY_NEW;
    if (last.text == function.text)
        return WORD_IS_ONE_OF(function, containers) ? ARRAY_SAME : ARRAY_UNKNOWN;
    if (is_special(arguments) || ends_in_underscore(last))
        return ARRAY_UNKNOWN;
    if (draws_numbers(function))
        return place <= 0 && array_is_module(function) ? ARRAY_NEW : ARRAY_UNKNOWN; /* further back may stand `out` */
    if (!array_is_module(function))
        return place == 0 && WORD_IS_ONE_OF(last, methods) ? ARRAY_NEW : ARRAY_UNKNOWN;
    if (may_be_same(last))
        return ARRAY_SAME;
    return (makes_new_of_one(last) || makes_new_of_two(last)) && is_read(last, place) ? ARRAY_NEW : ARRAY_UNKNOWN;
}
