#include "objects/distances.h"

#include <string.h>

void distances_vote(struct distances *distances, uint32_t births)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < DISTANCES_KEPT; i++) {
        if (distances->births[i] == births) {
            distances->votes[i]++;
            return;
        }
        least = distances->votes[i] < distances->votes[least] ? i : least;
    }
    /* A distance that came rarely makes way. Its votes are forgotten: the count of a distance is never too high. */
    distances->births[least] = births;
    distances->votes[least] = 1;
}

void distances_forget(struct distances *distances)
{
    memset(distances, 0, sizeof *distances);
}

void distances_take_back(struct distances *distances, uint64_t votes)
{
    for (uint32_t i = 0; i < DISTANCES_KEPT; i++) {
        distances->votes[i] -= votes < distances->votes[i] ? (uint32_t)votes : distances->votes[i];
    }
}

uint32_t distances_commonest(const struct distances *distances, uint32_t *votes)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < DISTANCES_KEPT; i++) {
        bool more = distances->votes[i] > distances->votes[best];
        bool nearer = distances->votes[i] == distances->votes[best] && distances->births[i] < distances->births[best];
        best = more || nearer ? i : best;
    }
    *votes = distances->votes[best];
    return distances->votes[best] > 0 ? distances->births[best] : 0;
}
