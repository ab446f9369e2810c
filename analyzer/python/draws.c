#include "python/draws.h"

#include <ctype.h>
#include <string.h>

#include "python/words.h"

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
