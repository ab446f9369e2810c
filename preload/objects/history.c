#include "objects/history.h"

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
