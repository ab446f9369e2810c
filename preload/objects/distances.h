/* How many births lie between equal objects: the few commonest distances. Callers take turns. */
#ifndef PIEPROF_PRELOAD_DISTANCES_H
#define PIEPROF_PRELOAD_DISTANCES_H

#include <stdbool.h>
#include <stdint.h>

#define DISTANCES_KEPT 8u

struct distances {
    uint32_t births[DISTANCES_KEPT], votes[DISTANCES_KEPT];
};

/* Counts one more at that distance. */
void distances_vote(struct distances *distances, uint32_t births);

void distances_forget(struct distances *distances);

/* So many of the votes were none, it is not known which: as many are taken from each distance, so that none has too many. */
void distances_take_back(struct distances *distances, uint64_t votes);

/* The distance with most votes, 0 when there is none, and its votes. */
uint32_t distances_commonest(const struct distances *distances, uint32_t *votes);

#endif
