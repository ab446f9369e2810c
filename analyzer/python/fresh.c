#include "python/fresh.h"

#include <string.h>

#define ITEMS_MAX 32u

/* "out=x", "copy=False", "*items": it may give what it was given. */
static bool gives_back(struct word arguments)
{
    static const char *const keywords[] = {"out", "copy"};
    struct word items[ITEMS_MAX], keyword, value;
    size_t count = word_split(arguments, ',', items, ITEMS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if ((items[i].length_bytes > 0 && *items[i].text == '*') ||
            (word_assigned(items[i], &keyword, &value) && WORD_IS_ONE_OF(keyword, keywords)))
            return true;
    return count == SIZE_MAX;
}

bool fresh_is_number(struct word function)
{
    static const char *const numbers[] = {"range",        "len",  "int",        "float",  "bool", "str", "round",
                                          "trange",       "item", "isinstance", "tolist", "type", "id",  "hash",
                                          "perf_counter", "time", "numel",      "dim",    "size"};
    return WORD_IS_ONE_OF(word_last_part(function), numbers);
}

bool fresh_is_call(struct word function, struct word arguments)
{
    static const char *const made[] = {
        "zeros",        "ones",       "full",        "empty",       "zeros_like",  "ones_like",
        "full_like",    "empty_like", "eye",         "identity",    "arange",      "linspace",
        "logspace",     "meshgrid",   "tri",         "tril",        "triu",        "rand",
        "randn",        "randint",    "random",      "normal",      "uniform",     "rand_like",
        "randn_like",   "randperm",   "permutation", "integers",    "binomial",    "poisson",
        "exponential",  "bernoulli",  "multinomial", "default_rng", "RandomState", "standard_normal",
        "random_sample"};
    static const char *const computed[] = {
        "sum",     "mean",    "std",      "var",         "min",    "max",       "prod",    "argmin",
        "argmax",  "argsort", "any",      "all",         "median", "quantile",  "dot",     "matmul",
        "mm",      "bmm",     "mv",       "outer",       "einsum", "tensordot", "exp",     "log",
        "sqrt",    "square",  "tanh",     "sin",         "cos",    "sigmoid",   "softmax", "maximum",
        "minimum", "add",     "subtract", "multiply",    "divide", "power",     "where",   "cumsum",
        "norm",    "solve",   "inv",      "svd",         "abs",    "absolute",  "sign",    "floor",
        "ceil",    "diff",    "bincount", "concatenate", "stack",  "vstack",    "hstack",  "cat",
        "tile",    "copy",    "clone",    "tolist",      "item",   "array",     "tensor",  "astype"};
    static const char *const choosing[] = {"min", "max"}; /* Python's own give one of what they are given */
    if (gives_back(arguments) || WORD_IS_ONE_OF(function, choosing))
        return false;
    struct word last = word_last_part(function);
    return WORD_IS_ONE_OF(last, made) || WORD_IS_ONE_OF(last, computed) || fresh_is_number(function);
}

bool fresh_is_fact(struct word attribute)
{
    static const char *const facts[] = {"shape", "size", "ndim", "dtype", "device", "nbytes", "itemsize", "strides"};
    return WORD_IS_ONE_OF(attribute, facts);
}

bool fresh_is_view(struct word attribute)
{
    static const char *const views[] = {"T", "mT", "H", "mH", "data", "real", "imag", "flat", "base"};
    return WORD_IS_ONE_OF(attribute, views);
}

bool fresh_is_module(struct word name)
{
    static const char *const modules[] = {"np", "numpy", "torch", "math", "F", "functional", "linalg"};
    const char *dot = memchr(name.text, '.', name.length_bytes);
    return WORD_IS_ONE_OF(((struct word){name.text, dot != NULL ? (size_t)(dot - name.text) : name.length_bytes}),
                          modules);
}
