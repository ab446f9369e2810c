#include "findings/draws.h"

#include <ctype.h>
#include <string.h>

#include "findings/expression.h"
#include "findings/words.h"

/* "special" of "special.gamma", which is a function of mathematics. */
static bool is_of_mathematics(struct word function)
{
    static const char *const modules[] = {"special", "math", "stats", "scipy", "sp", "sc"};
    const char *dot = memchr(function.text, '.', function.length_bytes);
    return dot == NULL || WORD_IS_ONE_OF(((struct word){function.text, (size_t)(dot - function.text)}), modules);
}

static bool makes_layer(struct word function)
{
    static const char *const modules[] = {"nn.", "torch.nn."};
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
        if (function.length_bytes > strlen(modules[i]) && memcmp(function.text, modules[i], strlen(modules[i])) == 0)
            return isupper((unsigned char)*word_last_part(function).text) != 0;
    return false;
}

bool draws_by_name(struct word function)
{
    static const char *const names[] = {"permutation",
                                        "permuted",
                                        "shuffle",
                                        "random",
                                        "random_sample",
                                        "rand",
                                        "randn",
                                        "randint",
                                        "integers",
                                        "choice",
                                        "uniform",
                                        "normal",
                                        "standard_normal",
                                        "randperm",
                                        "bernoulli",
                                        "multinomial",
                                        "poisson",
                                        "exponential",
                                        "rand_like",
                                        "randn_like",
                                        "randint_like",
                                        "binomial",
                                        "multivariate_normal",
                                        "laplace",
                                        "standard_exponential",
                                        "gamma",
                                        "standard_gamma",
                                        "standard_t",
                                        "lognormal",
                                        "chisquare",
                                        "triangular",
                                        "beta",
                                        "dirichlet",
                                        "gumbel",
                                        "normal_",
                                        "uniform_",
                                        "bernoulli_",
                                        "exponential_",
                                        "trunc_normal_",
                                        "xavier_uniform_",
                                        "xavier_normal_",
                                        "kaiming_uniform_",
                                        "kaiming_normal_",
                                        "orthogonal_",
                                        "dropout"};
    bool drawn = WORD_IS_ONE_OF(word_last_part(function), names);
    return makes_layer(function) || (drawn && !is_of_mathematics(function));
}

/* Does the text call one? */
static bool draws(struct word text)
{
    for (const char *at = text.text; at < word_end(text);) {
        struct word name = word_name_at(at, word_end(text));
        const char *behind = word_end(name);
        if (name.length_bytes > 0 && behind < word_end(text) && *behind == '(' && draws_by_name(name))
            return true;
        at = name.length_bytes > 0 ? behind : at + 1;
    }
    return false;
}

static bool makes_generator(struct word text)
{
    static const char *const names[] = {"default_rng(", "RandomState(", "Generator("};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (memmem(text.text, text.length_bytes, names[i], strlen(names[i])) != NULL)
            return true;
    return false;
}

static struct word call_text(struct model *model, const struct site *site)
{
    uint32_t frame = objects_caller_frame(model, site->process, site->record->node);
    struct word text;
    text.text = operation_text(model, site->process, frame, &text.length_bytes);
    return text;
}

bool draws_by_covariance(struct model *model, const struct site *site)
{
    static const char name[] = "multivariate_normal(";
    struct word text = call_text(model, site);
    return text.text != NULL && memmem(text.text, text.length_bytes, name, strlen(name)) != NULL;
}

const char *draws_say(struct model *model, const struct site *site)
{
    struct word text = call_text(model, site);
    if (text.text == NULL || !draws(text) || makes_generator(text))
        return "";
    return " It takes random numbers: the generator has to be left where they left it, or all that is drawn later is "
           "another.";
}
