/* How often a place loads, told from what the pairs say of one another instead of by the clock alone. */
#ifndef PIEPROF_ANALYZER_BALANCE_H
#define PIEPROF_ANALYZER_BALANCE_H

#include "model/model.h"

/*
 * The clock finds the loads of a slow loop more often than those of a fast one, and a pair is found by its first load: of a
 * line's loads, pairs that began in a slow loop elsewhere would count for too many. But every load that is the second of
 * one pair is the first of the next. So the true numbers of loads, by place, are the stationary distribution of the chain
 * "from here, the next load of these bytes is there", whose transitions the samples of a place tell however often the
 * place is found. Places that nothing links keep the shares that the clock gave them, and so, more or less, do those
 * with few samples.
 *
 * A place is a call of a native function on a line: its loops are taken as equally fast.
 */
struct balance;

/* Of the pairs of loads on objects; never NULL. Free with balance_free(). */
struct balance *balance_make(struct model *model, struct process *process);
void balance_free(struct balance *balance);

/* What a pair that began with the load at this leaf counts for, 1 in the mean over all. */
double balance_weight(const struct balance *balance, struct model *model, struct process *process, uint32_t first_node);

#endif
