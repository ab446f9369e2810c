/* How often a place loads or stores, told from what the pairs say of one another instead of by the clock alone. */
#ifndef PIEPROF_ANALYZER_BALANCE_H
#define PIEPROF_ANALYZER_BALANCE_H

#include "model/model.h"
#include "model/resample.h"

/*
 * The clock finds the accesses of a slow loop more often than those of a fast one, and a pair is found by its first access: of
 * a line's loads, pairs that began in a slow loop elsewhere would count for too many; of its stores, those of its own slow
 * loops. But every access that is the second of one pair is the first of the next. So the true numbers of accesses, by place,
 * are the stationary distribution of the chain "from here, the next access to these bytes is there", whose transitions the
 * samples of a place tell however often the place is found. Places that nothing links keep the shares that the clock gave
 * them, and so, more or less, do those with few samples.
 *
 * A place is a load or a store of an instruction, in a call of a native function on a line.
 */
struct balance;

/* Of the pairs on objects; never NULL. Free with balance_free(). */
struct balance *balance_make(struct model *model, struct process *process);
void balance_free(struct balance *balance);

/* What a pair that begins as this one does, or a sampled store alone, counts for; 1 in the mean over all. */
double balance_weight(const struct balance *balance, struct model *model, struct process *process,
                      const struct db_pair *record);

/* Are there weights of resamples (resample.h)? Not where they would take long. */
bool balance_is_resampled(const struct balance *balance);

/* The same weight in each resample, where there are some; NULL: 1 in all. */
const double *balance_resampled_weights(const struct balance *balance, struct model *model, struct process *process,
                                        const struct db_pair *record);

#endif
