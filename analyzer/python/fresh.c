#include "python/fresh.h"

#include <ctype.h>
#include <string.h>

#define ITEMS_MAX 32u

/* "out=x", "copy=False", "*items", "dtype=object": it may give what it was given. */
static bool gives_back(struct word arguments)
{
    static const char *const keywords[] = {"out", "copy"};
    struct word items[ITEMS_MAX], keyword, value, object = {"object", 6};
    size_t count = word_split(arguments, ',', items, ITEMS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if ((items[i].length_bytes > 0 && *items[i].text == '*') ||
            (word_assigned(items[i], &keyword, &value) && WORD_IS_ONE_OF(keyword, keywords)))
            return true;
    return count == SIZE_MAX || word_mentions(arguments, object) > 0;
}

/* Not so of arrays: "x.float()" is `x` where that is of floats. */
bool fresh_is_number(struct word function)
{
    static const char *const numbers[] = {"range", "len",   "trange",       "item", "isinstance", "tolist", "id",
                                          "hash",  "numel", "perf_counter", "time", "dim",        "size"};
    static const char *const made[] = {"int", "float", "bool", "str", "type"};
    return WORD_IS_ONE_OF(word_last_part(function), numbers) || WORD_IS_ONE_OF(function, made);
}

/* "0", "True", "(0, 1)": no array. */
static bool is_literal(struct word item)
{
    static const char *const words[] = {"True", "False", "None"};
    if (WORD_IS_ONE_OF(item, words))
        return true;
    for (size_t i = 0; i < item.length_bytes; i++)
        if (word_char(item.text[i]) && !isdigit((unsigned char)item.text[i]))
            return false;
    return true;
}

/* Is there an array, perhaps, at a place behind the first `inputs`? There functions take what to write into. */
static bool has_more(struct word arguments, size_t inputs)
{
    struct word items[ITEMS_MAX], keyword, value;
    size_t count = word_split(arguments, ',', items, ITEMS_MAX);
    for (size_t i = inputs; count != SIZE_MAX && i < count; i++)
        if (!word_assigned(items[i], &keyword, &value) && !is_literal(items[i]))
            return true;
    return count == SIZE_MAX;
}

/* Does a function that computes give new memory, of so many arguments that are no place to write into? */
static bool computes(struct word last, struct word arguments, bool is_method)
{
    /* Of one, two and three, the array itself counted. */
    static const char *const of_one[] = {"exp",     "log",  "sqrt", "square", "tanh",     "sin",   "cos",
                                         "sigmoid", "inv",  "svd",  "abs",    "absolute", "sign",  "floor",
                                         "ceil",    "diff", "copy", "clone",  "vstack",   "hstack"};
    static const char *const of_two[] = {
        "sum",      "mean",     "std",    "var",   "min",         "max",      "prod",  "argmin",
        "argmax",   "argsort",  "any",    "all",   "median",      "quantile", "dot",   "matmul",
        "mm",       "bmm",      "mv",     "outer", "softmax",     "maximum",  "add",   "minimum",
        "subtract", "multiply", "divide", "power", "cumsum",      "norm",     "solve", "tile",
        "bincount", "cat",      "stack",  "array", "concatenate", "tensor"};
    static const char *const of_three[] = {"where", "tensordot"};
    struct word items[ITEMS_MAX];
    size_t inputs = WORD_IS_ONE_OF(last, of_one)     ? 1
                    : WORD_IS_ONE_OF(last, of_two)   ? 2
                    : WORD_IS_ONE_OF(last, of_three) ? 3
                                                     : 0;
    if (word_is(last, "astype")) /* behind the others it is told not to copy */
        return word_split(arguments, ',', items, 2) != SIZE_MAX;
    if (word_is(last, "diff") && word_split(arguments, ',', items, 1) == SIZE_MAX) /* "n=0" */
        return false;
    return inputs > 0 && !has_more(arguments, inputs - is_method);
}

bool fresh_is_call(struct word function, struct word arguments)
{
    static const char *const made[] = {
        "zeros",      "ones",        "full",       "empty",       "zeros_like",  "ones_like",   "full_like",
        "empty_like", "eye",         "identity",   "arange",      "linspace",    "logspace",    "meshgrid",
        "tri",        "tril",        "triu",       "rand",        "randn",       "randint",     "normal",
        "uniform",    "rand_like",   "randn_like", "randperm",    "permutation", "integers",    "binomial",
        "poisson",    "exponential", "bernoulli",  "multinomial", "default_rng", "RandomState", "random_sample"};
    static const char *const drawn[] = {"random", "standard_normal"}; /* size, type, what to write into */
    static const char *const choosing[] = {"min", "max", "sum"};      /* Python's own give one of what they are given */
    if (gives_back(arguments) || WORD_IS_ONE_OF(function, choosing))
        return false;
    struct word last = word_last_part(function);
    bool is_method = last.length_bytes < function.length_bytes && !fresh_is_module(function);
    return WORD_IS_ONE_OF(last, made) || (WORD_IS_ONE_OF(last, drawn) && !has_more(arguments, 1)) ||
           computes(last, arguments, is_method) || fresh_is_number(function);
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
