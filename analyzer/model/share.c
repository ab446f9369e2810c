#include "model/share.h"

#include <math.h>

#define ROUNDING 1e-9 /* of sums of weights */
#define PAIRED_MIN 4u
#define VARIANCE_LEAST 0.25 /* of that with known weights: a step that all of few pairs took is not certain for that */

/* The undecided may all be wasted, or none; where they outweigh the others nothing is known. */
static struct estimate widen(struct estimate estimate, const struct weights *weights)
{
    double whole = weights->all + weights->undecided;
    if (weights->undecided > weights->all)
        return (struct estimate){0};
    estimate.low *= weights->all / whole;
    estimate.high = fmin(1, (estimate.high * weights->all + weights->undecided) / whole);
    return estimate;
}

double weights_variance(const struct weights *weights, double fraction)
{
    return (1 - fraction) * (1 - fraction) * weights->wasted_squares +
           fraction * fraction * (weights->squares - weights->wasted_squares);
}

/*
 * How many equally weighted pairs would vary as much (Kish, 1965). Where the wasted ones weigh more than the others, or less,
 * the share varies more than that says: then the variance of a ratio of sums, linearised (Cochran, 1977, 6.3). Where the weights
 * are estimates themselves it varies more, or less, by as much as that variance does.
 */
static double observations(double part, const struct weights *weights)
{
    const double plain = weights->all * weights->all / weights->squares, fraction = part / weights->all;
    if (fraction <= ROUNDING || fraction >= 1 - ROUNDING)
        return plain;
    const double of_wasted = weights->wasted > 0 ? part / weights->wasted : 0;
    struct weights parted = *weights;
    parted.wasted_squares *= of_wasted;
    const double known = weights_variance(&parted, fraction);
    if (known <= 0)
        return plain;
    const double varies = fmax(VARIANCE_LEAST, 1 + weights->variance * of_wasted / known);
    return fmin(plain, fraction * (1 - fraction) * weights->all * weights->all / known) / varies;
}

static struct estimate estimate_within(double part, const struct weights *weights, double z)
{
    if (weights->squares <= 0 || part > weights->all)
        return (struct estimate){0};
    double n = observations(part, weights), fraction = part / weights->all;
    double center = (fraction + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(fraction * (1 - fraction) / n + z * z / (4 * n * n));
    struct estimate estimate = {.known = true, .fraction = fraction};
    estimate.low = fraction > ROUNDING ? fmax(0, center - half) : 0; /* exactly: a limit may be 0 */
    estimate.high = fraction < 1 - ROUNDING ? fmin(1, center + half) : 1;
    return widen(estimate, weights);
}

static struct estimate estimate_of(double part, const struct weights *weights, uint64_t pairs)
{
    if (pairs < SHARE_PAIRS_MIN)
        return (struct estimate){0};
    return estimate_within(part, weights, 1.959963984540054); /* 97.5 % quantile of the normal distribution */
}

struct estimate share_estimate(const struct share *share)
{
    return estimate_of(share->weights.wasted, &share->weights, share->pairs);
}

struct estimate share_estimate_across(const struct share *share)
{
    return estimate_of(share->across_weights.wasted, &share->across_weights, share->across_pairs);
}

/* Where hardly one of the wasted ones has shown what came before it, chance decides whether that could be spared. */
static double needless(const struct share *share)
{
    return share->paired > 0 && share->paired_count >= PAIRED_MIN
               ? share->weights.wasted * (share->needless / share->paired)
               : 0;
}

struct estimate share_estimate_needless(const struct share *share)
{
    return estimate_of(needless(share), &share->weights, share->pairs);
}

struct estimate share_estimate_needless_within(const struct share *share, double z)
{
    return estimate_within(needless(share), &share->weights, z);
}

struct estimate share_estimate_counts(uint64_t part, uint64_t whole, uint64_t undecided)
{
    const struct weights weights = {.wasted = (double)part,
                                    .wasted_squares = (double)part,
                                    .all = (double)whole,
                                    .squares = (double)whole,
                                    .undecided = (double)undecided};
    return estimate_of(weights.wasted, &weights, whole);
}
