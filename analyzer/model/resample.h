/* How much shares vary by chance in the weights of their pairs, which come from the pairs themselves (balance.h). */
#ifndef PIEPROF_ANALYZER_RESAMPLE_H
#define PIEPROF_ANALYZER_RESAMPLE_H

#include "model/model.h"

/*
 * All pairs count for a little more or less at random, in each resample for others; what that does to the weights and to a share,
 * squared, is as its variance (Jin, Ying and Wei, Biometrika 88, 2001: the minimand perturbed). A pair that counts for more changes the
 * weights as well: the share varies more than the pairs alone do, or less.
 */
#define RESAMPLES 33u /* the first of them: as they are */

/* What one of the record's pairs counts for in each, 1 in the mean: the same each time for the same `id`. */
void resample_factors(const struct db_pair *record, uint64_t id, double factors[RESAMPLES]);

/* A record's pairs as a share takes them in each resample: by its own weights, and by the first's. */
struct resampled_pairs {
    double anew[RESAMPLES], told[RESAMPLES];
};

/* `weights` as balance_resampled_weights() has them. */
struct resampled_pairs resample_pairs(const struct db_pair *record, uint64_t id, const double *weights);

/* Sums of one process, which begin where the share's sums have come to; `*list` begins as NULL. */
void resample_add(struct resampled **list, struct weights *weights, const struct resampled_pairs *pairs, bool wasted);

/* Adds to each of the weights how much more they vary than they say (`variance`), and frees the list. */
void resample_settle(struct resampled *list);

#endif
