/* The sites of this process: found by key without a lock, recorded in the ledger when first seen. */
#ifndef PIEPROF_PRELOAD_SITES_H
#define PIEPROF_PRELOAD_SITES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "alone.h"
#include "objects/history.h"
#include "pieprof/db.h"

#define SITES_MAX 8192u

/* One cache line: births come when others have taken the caches. */
struct site {
    _Alignas(64) uint64_t key;
    struct db_site *record;      /* in the ledger */
    _Atomic uint32_t last_match; /* number of births when an object was last equal to another */
    bool is_structure;           /* its objects hold addresses: their content is looked at no more */
    bool fills;                  /* one of its objects was seen to be filled */
    bool distrusted;             /* equal samples of it were seen to differ elsewhere: only whole contents count */
    uint8_t measured;            /* new contents that db_site.new_digits is of */
    uint64_t instruction;        /* as in the key */
    uint64_t maker;              /* the native function that makes its objects (site_context.h); 0 unknown */
    uint32_t id;                 /* of the record */
    _Atomic uint32_t busy;       /* what follows, and the history, belong to who set it */
    uint32_t unproved;           /* replicas that samples alone say */
    uint16_t proofs;             /* replicas that whole contents confirmed: the first few are counted */
    uint8_t constants;           /* whole contents found constant: likewise */
    uint8_t asked;               /* objects asked what becomes of them (aftermath.c) */
    _Atomic uint8_t wanted;      /* of its next objects the whole contents are asked for (recent.c) */
    atomic_bool is_made_again;   /* one of its objects was the first of a link (recent.c) */
    _Atomic uint16_t execution;  /* of its instruction, that of its last birth, as call_stack.h counts them */
    _Atomic uint32_t far;        /* its far history (far.c): the number of the table; 0: none as yet */
};

_Static_assert(sizeof(struct site) == 64, "a site is a cache line");

struct site_key {
    uint64_t stack_hash;
    uint64_t instruction; /* hash of the innermost frame alone: implied by the stack's, noted in the site */
    uint64_t size_bytes;
    uint32_t ordinal;
};

bool sites_start(void);
void sites_reset_child(void);

/* The number of the site, from 1; 0 when there is no room (counted SITES_FULL, or by the ledger), or while it is
 * scarce and the place is new. Its record has no context as yet. Outside handlers. */
uint32_t sites_find(const struct site_key *key);

extern struct site *sites_table; /* NULL before sites_start() */

/* By number, from 1 to the count; one whose record is NULL is not to be used. */
static inline struct site *sites_at(uint32_t number)
{
    return &sites_table[number - 1];
}

uint32_t sites_count(void);

/* One more; its number, from 1. */
static inline uint32_t sites_count_birth(struct site *site)
{
    return (uint32_t)count_next(&site->record->births);
}

static inline uint32_t sites_births(const struct site *site)
{
    return (uint32_t)__atomic_load_n(&site->record->births, __ATOMIC_RELAXED);
}

struct history *sites_history(const struct site *site);

/* `count` objects that were to be looked at could not be. */
void sites_skip(struct site *site, uint64_t count);

/* Has an object that this instruction made been seen to be filled, whatever the path to it? */
bool sites_instruction_fills(const struct site *site);
void sites_note_fills(const struct site *site);

/* One thread at a time: a bounded wait, false when it was in vain. */
bool sites_lock(struct site *site);
void sites_unlock(struct site *site);

#endif
