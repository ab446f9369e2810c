#include "model/resample.h"

#include <math.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"
#include "model/share.h"

#define STEP 0.5 /* of a standard deviation: one pair alone is still one, and a place keeps its pairs */

struct sums {
    double wasted[RESAMPLES], all[RESAMPLES];
};

struct resampled {
    struct resampled *next;
    struct weights *weights, before;
    struct sums anew, told;
};

/*
 * Signs of so many records that follow one another are orthogonal over the resamples (rows of Sylvester's matrix but its first; balanced
 * half-samples, McCarthy, 1969): of a share of few records the variance is exact. Of two with the same signs one has all the others' half
 * of the time.
 */
#define ROWS (RESAMPLES - 2)

void resample_factors(const struct db_pair *record, uint64_t id, double factors[RESAMPLES])
{
    const unsigned row = (unsigned)(id % ROWS) + 1, flip = (unsigned)(XXH3_64bits(&id, sizeof id) & 1);
    const double scale = (double)record->scale;
    const double step = scale > 0 ? STEP * fmin(1, sqrt((double)record->scale_squares) / scale) : 0;
    factors[0] = 1;
    for (unsigned i = 1; i < RESAMPLES; i++)
        factors[i] = 1 + (((unsigned)__builtin_popcount(row & (i - 1)) + flip) % 2 != 0 ? step : -step);
}

struct resampled_pairs resample_pairs(const struct db_pair *record, uint64_t id, const double *weights)
{
    struct resampled_pairs pairs;
    double factors[RESAMPLES];
    resample_factors(record, id, factors);
    for (unsigned i = 0; i < RESAMPLES; i++) {
        const double pair = (double)record->scale * factors[i];
        pairs.told[i] = weights != NULL ? weights[0] * pair : pair;
        pairs.anew[i] = weights != NULL ? weights[i] * pair : pair;
    }
    return pairs;
}

static struct resampled *sums_of(struct resampled **list, struct weights *weights)
{
    if (weights->resampled == NULL) {
        struct resampled *sums = memory_zeroed(1, sizeof *sums);
        *sums = (struct resampled){.next = *list, .weights = weights, .before = *weights};
        weights->resampled = *list = sums;
    }
    return weights->resampled;
}

static void sums_add(struct sums *sums, const double pairs[RESAMPLES], bool wasted)
{
    for (unsigned i = 0; i < RESAMPLES; i++) {
        sums->all[i] += pairs[i];
        sums->wasted[i] += wasted ? pairs[i] : 0;
    }
}

void resample_add(struct resampled **list, struct weights *weights, const struct resampled_pairs *pairs, bool wasted)
{
    struct resampled *sums = sums_of(list, weights);
    sums_add(&sums->anew, pairs->anew, wasted);
    sums_add(&sums->told, pairs->told, wasted);
}

/* Of what is wasted beyond `fraction` of all, summed. */
static double variance(const struct sums *sums, double fraction)
{
    double sum = 0, squares = 0;
    for (unsigned i = 1; i < RESAMPLES; i++) {
        const double beyond = sums->wasted[i] - fraction * sums->all[i];
        sum += beyond;
        squares += beyond * beyond;
    }
    return squares - sum * sum / (RESAMPLES - 1);
}

/* What both kinds of resamples have in common is no chance of theirs: only their ratio counts. */
static void settle(const struct resampled *sums)
{
    struct weights *weights = sums->weights, part = *weights;
    part.all -= sums->before.all;
    part.wasted -= sums->before.wasted;
    part.squares -= sums->before.squares;
    part.wasted_squares -= sums->before.wasted_squares;
    const double fraction = part.all > 0 ? part.wasted / part.all : 0, told = variance(&sums->told, fraction);
    if (fraction > 0 && fraction < 1 && told > 0)
        weights->variance += weights_variance(&part, fraction) * (variance(&sums->anew, fraction) / told - 1);
    weights->resampled = NULL;
}

void resample_settle(struct resampled *list)
{
    while (list != NULL) {
        struct resampled *next = list->next;
        settle(list);
        free(list);
        list = next;
    }
}
