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

/*
 * May the object of that birth be told to be equal to the one of an entry with its digest? Of equal objects all but one are
 * replicas, in whatever order they end. That of a primer was not counted: before it may lie one that was.
 */
static bool may_match(const struct history *history, int i, uint32_t birth)
{
    return history->births[i] < birth || (history->births[i] > birth && history->roles[i] != HISTORY_PRIMER);
}

int history_find(const struct history *history, uint64_t digest, uint32_t birth)
{
    int best = -1;
    for (int i = 0; i < (int)HISTORY_ENTRIES; i++) {
        if (history->digests[i] == digest && may_match(history, i, birth) && is_better(history, i, best, birth)) {
            best = i;
        }
    }
    return best;
}

int history_find_later_new(const struct history *history, uint64_t digest, uint32_t birth)
{
    int best = -1;
    for (int i = 0; i < (int)HISTORY_ENTRIES; i++) {
        bool is_one = history->digests[i] == digest && history->births[i] > birth && history->roles[i] == HISTORY_NEW;
        if (is_one && (best < 0 || history->births[i] < history->births[best])) {
            best = i;
        }
    }
    return best;
}

int history_find_proved(const struct history *history, uint64_t digest, uint32_t proof, uint32_t birth)
{
    int best = -1;
    for (int i = 0; i < (int)HISTORY_ENTRIES; i++) {
        if (history->digests[i] == digest && history->proofs[i] == proof && may_match(history, i, birth) &&
            is_better(history, i, best, birth)) {
            best = i;
        }
    }
    return best;
}

uint32_t history_add(struct history *history, uint64_t digest, uint32_t proof, uint32_t birth, int match,
                     enum history_role role)
{
    uint32_t believed = proof, pending = 0;
    uint8_t agreed = 0;
    if (match >= 0) {
        agreed = history->agreed[match];
        if (proof == 0) {
            believed = history->believed[match];
            pending = history->pending[match];
        } else if (history->believed[match] == proof && agreed < UINT8_MAX) {
            agreed++;
        }
    }
    uint32_t i = history->next++ % HISTORY_ENTRIES;
    history->digests[i] = digest;
    history->proofs[i] = proof;
    history->believed[i] = believed;
    history->pending[i] = pending;
    history->agreed[i] = agreed;
    history->births[i] = birth;
    history->roles[i] = (uint8_t)role;
    history->recurs[i] = match >= 0;
    return i;
}

bool history_reaches(const struct history *history, uint32_t birth)
{
    for (unsigned i = 0; i < HISTORY_ENTRIES; i++) {
        if (history->births[i] == 0 || history->births[i] < birth + HISTORY_ENTRIES / 2) {
            return true;
        }
    }
    return false;
}
