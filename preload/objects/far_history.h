/*
 * A history that no period is too long for: contents select themselves. One is kept when the low bits of a hash of it are
 * zero, so that what comes again is kept again, whatever came between. When the table is full, one more bit must be zero,
 * and the contents for which it is not are dropped with all that was counted of them: what stays is counted from its first
 * object on, and is an unbiased sample of the contents (Wegman's adaptive sampling; Flajolet, 1990; Gibbons, 2001). Depends
 * on the contents and their order alone. Callers take turns.
 */
#ifndef PIEPROF_PRELOAD_FAR_HISTORY_H
#define PIEPROF_PRELOAD_FAR_HISTORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "objects/distances.h"
#include "pieprof/db.h"

#define FAR_ENTRIES 64u

/* All zeros: empty. Entries are packed at the front. */
struct far_history {
    uint64_t digests[FAR_ENTRIES];
    uint32_t selectors[FAR_ENTRIES];
    uint32_t proofs[FAR_ENTRIES]; /* of whole contents; 0 = not made: the caller's */
    uint32_t firsts[FAR_ENTRIES]; /* births */
    uint32_t lasts[FAR_ENTRIES];
    uint32_t counts[FAR_ENTRIES]; /* objects */
    uint32_t entries;
    _Atomic uint32_t bits;  /* may be read without a turn: it only rises, until the history is emptied */
    uint32_t start;         /* the lowest birth that was counted */
    _Atomic bool by_digest; /* selectors were seen not to tell contents apart: the digests select */
    struct distances distances;
};

/* Will a content of this selector be looked for? Any may be, where digests select. */
static inline bool far_history_may_select(const struct far_history *history, uint32_t selector)
{
    uint32_t mask = (UINT32_C(1) << atomic_load_explicit(&history->bits, memory_order_relaxed)) - 1;
    return (selector & mask) == 0 || atomic_load_explicit(&history->by_digest, memory_order_relaxed);
}

/* The entry of that content; FAR_ENTRIES: none. */
uint32_t far_history_find(const struct far_history *history, uint64_t digest);

/* One more object of the entry's content. */
void far_history_count(struct far_history *history, uint32_t entry, uint32_t birth);

/* An object of a content that has no entry; none is made if it is not selected. False: there are too many contents. */
bool far_history_add(struct far_history *history, uint32_t selector, uint64_t digest, uint32_t birth);

void far_history_empty(struct far_history *history);

/* What the entries say together (db.h, db_site.far_...). */
struct far_sums {
    uint64_t births, examined, squares, spans;
};
struct far_sums far_history_sum(const struct far_history *history);

#endif
