#include "model/share.h"

#include <math.h>

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

static struct estimate estimate_within(double part, const struct weights *weights, double z)
{
    if (weights->squares <= 0 || part > weights->all)
        return (struct estimate){0};
    double n = weights->all * weights->all / weights->squares, fraction = part / weights->all;
    double center = (fraction + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(fraction * (1 - fraction) / n + z * z / (4 * n * n));
    struct estimate estimate = {
        .known = true, .fraction = fraction, .low = fmax(0, center - half), .high = fmin(1, center + half)};
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

static double needless(const struct share *share)
{
    return share->paired > 0 ? share->weights.wasted * (share->needless / share->paired) : 0;
}

struct estimate share_estimate_needless(const struct share *share)
{
    return estimate_of(needless(share), &share->weights, share->pairs);
}

struct estimate share_estimate_needless_within(const struct share *share, double z)
{
    return estimate_within(needless(share), &share->weights, z);
}

struct estimate share_estimate_counts(uint64_t part, uint64_t whole)
{
    return estimate_of((double)part, &(struct weights){.all = (double)whole, .squares = (double)whole}, whole);
}
