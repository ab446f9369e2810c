#include "objects/history.h"

#include <string.h>

/* Is `candidate` better than `best` (-1: anything is) for an object of `birth`? */
static bool is_better(const struct history *history, int candidate, int best, uint32_t birth)
{
    bool earlier = history->births[candidate] < birth;
    if (best < 0) {
        return true;
    }
    bool best_earlier = history->births[best] < birth;
    if (earlier != best_earlier) {
        return earlier;
    }
    return earlier == (history->births[candidate] > history->births[best]);
}

int history_find(const struct history *history, uint64_t digest, uint32_t birth)
{
    int best = -1;
    for (int i = 0; i < (int)HISTORY_ENTRIES; i++) {
        if (history->digests[i] != digest || history->births[i] == birth) {
            continue;
        }
        bool counted = history->births[i] > birth && history->replicas[i];
        if (!counted && is_better(history, i, best, birth)) {
            best = i;
        }
    }
    return best;
}

void history_add(struct history *history, uint64_t digest, uint32_t proof, uint32_t birth, bool replica)
{
    uint32_t i = history->next++ % HISTORY_ENTRIES;
    history->digests[i] = digest;
    history->proofs[i] = proof;
    history->births[i] = birth;
    history->replicas[i] = replica;
}

void history_vote(struct history *history, uint32_t distance)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < HISTORY_DISTANCES; i++) {
        if (history->distances[i] == distance) {
            history->votes[i]++;
            return;
        }
        least = history->votes[i] < history->votes[least] ? i : least;
    }
    /* A distance that came rarely makes way. Its votes are forgotten: the count of a distance is never too high. */
    history->distances[least] = distance;
    history->votes[least] = 1;
}

void history_forget_votes(struct history *history)
{
    memset(history->distances, 0, sizeof history->distances);
    memset(history->votes, 0, sizeof history->votes);
}

uint32_t history_period(const struct history *history, uint32_t *votes)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < HISTORY_DISTANCES; i++) {
        bool more = history->votes[i] > history->votes[best];
        bool nearer = history->votes[i] == history->votes[best] && history->distances[i] < history->distances[best];
        best = more || nearer ? i : best;
    }
    *votes = history->votes[best];
    return history->votes[best] > 0 ? history->distances[best] : 0;
}
