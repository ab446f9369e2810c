#include "objects/far_history.h"

#include <string.h>

#define KEPT_MIN 8u /* of a full table, half is dropped; so few (or so many) are left in no run if hashes differ */

uint32_t far_history_find(const struct far_history *history, uint64_t digest)
{
    uint32_t entry = 0;
    while (entry < history->entries && history->digests[entry] != digest) {
        entry++;
    }
    return entry < history->entries ? entry : FAR_ENTRIES;
}

void far_history_count(struct far_history *history, uint32_t entry, uint32_t birth)
{
    uint32_t last = history->lasts[entry];
    distances_vote(&history->distances, birth > last ? birth - last : last - birth);
    history->counts[entry]++;
    history->lasts[entry] = birth > last ? birth : last;
    history->firsts[entry] = birth < history->firsts[entry] ? birth : history->firsts[entry];
    history->start = birth < history->start ? birth : history->start;
}

static bool selects(const struct far_history *history, uint32_t selector, uint64_t digest)
{
    uint32_t mask = (UINT32_C(1) << history->bits) - 1;
    return ((history->by_digest ? (uint32_t)digest : selector) & mask) == 0;
}

static uint32_t count_selected(const struct far_history *history)
{
    uint32_t selected = 0;
    for (uint32_t i = 0; i < history->entries; i++) {
        selected += selects(history, history->selectors[i], history->digests[i]) ? 1 : 0;
    }
    return selected;
}

static void drop_unselected(struct far_history *history)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < history->entries; i++) {
        if (selects(history, history->selectors[i], history->digests[i])) {
            history->digests[kept] = history->digests[i];
            history->selectors[kept] = history->selectors[i];
            history->proofs[kept] = history->proofs[i];
            history->firsts[kept] = history->firsts[i];
            history->lasts[kept] = history->lasts[i];
            history->counts[kept] = history->counts[i];
            kept++;
        }
    }
    history->entries = kept;
}

/*
 * Votes for distances begin anew: they may be of contents that go. At first all contents are there: if it then shows that
 * the selectors are alike (of pictures' black borders), digests select from now on.
 */
static void raise_bits(struct far_history *history)
{
    if (history->bits++ == 0) {
        uint32_t kept = count_selected(history);
        history->by_digest = kept < KEPT_MIN || kept > FAR_ENTRIES - KEPT_MIN;
    }
    drop_unselected(history);
    distances_forget(&history->distances);
}

bool far_history_add(struct far_history *history, uint32_t selector, uint64_t digest, uint32_t birth)
{
    history->start = history->start == 0 || birth < history->start ? birth : history->start;
    while (selects(history, selector, digest) && history->entries == FAR_ENTRIES) {
        if (history->bits == DB_FAR_BITS_MAX) {
            return false;
        }
        raise_bits(history);
    }
    if (selects(history, selector, digest)) {
        uint32_t entry = history->entries++;
        history->digests[entry] = digest;
        history->selectors[entry] = selector;
        history->proofs[entry] = 0;
        history->firsts[entry] = history->lasts[entry] = birth;
        history->counts[entry] = 1;
    }
    return true;
}

void far_history_empty(struct far_history *history)
{
    memset(history, 0, sizeof *history);
}

struct far_sums far_history_sum(const struct far_history *history)
{
    struct far_sums sums = {0};
    uint32_t last = 0;
    for (uint32_t i = 0; i < history->entries; i++) {
        sums.examined += history->counts[i];
        sums.squares += (uint64_t)history->counts[i] * history->counts[i];
        sums.spans += history->lasts[i] - history->firsts[i];
        last = history->lasts[i] > last ? history->lasts[i] : last;
    }
    sums.births = last > 0 ? last - history->start + 1 : 0;
    return sums;
}
