#include "objects/sites.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hot.h"
#include "ledger/ledger.h"
#include "memory.h"
#include "process.h"

#define INDEX_BITS 15u
#define INDEX_ENTRIES (1u << INDEX_BITS)
#define PROBES_MAX 128u
#define NUMBER_MASK UINT64_C(0xffff)
#define SPINS_MAX 1000000u
#define SPINS_YIELD 128u
#define SEEN_ONCE (1u << 14)
#define FILLERS_BITS 12u
#define FILLERS (1u << FILLERS_BITS)
#define FILLER_PROBES 16u

_Static_assert(SITES_MAX < NUMBER_MASK, "a word of the index holds a site's number");
_Static_assert(DB_SITES_CROWDED <= SITES_MAX / 2, "half of the sites are left for what is made again and again");

/* Open addressing; a word is the key's upper 48 bits and the site's number, 0 when free. A site is whole before its word
 * appears. Two threads that meet a new site at once may leave one that nobody refers to. */
static _Atomic uint64_t *site_index;
struct site *sites_table;
static struct history *histories;
static _Atomic uint32_t site_count;
static _Atomic uint64_t seen_once[SEEN_ONCE]; /* keys without a site as yet */
static _Atomic uint64_t fillers[FILLERS];     /* hashes of instructions; they hold in forked children too */

bool sites_start(void)
{
    if (site_index == NULL) {
        sites_table = memory_map(SITES_MAX * sizeof *sites_table);
        histories = memory_map(SITES_MAX * sizeof *histories);
        if (sites_table != NULL && histories != NULL) {
            site_index = memory_map(INDEX_ENTRIES * sizeof *site_index);
        }
    }
    return site_index != NULL;
}

void sites_reset_child(void)
{
    if (site_index != NULL) {
        memory_forget((void *)site_index, INDEX_ENTRIES * sizeof *site_index);
        memory_forget(sites_table, SITES_MAX * sizeof *sites_table);
        memory_forget(histories, SITES_MAX * sizeof *histories);
        atomic_store(&site_count, 0);
        memset((void *)seen_once, 0, sizeof seen_once);
    }
}

static uint64_t hash_of(const struct site_key *key)
{
    uint64_t hash = (key->stack_hash ^ key->size_bytes) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ key->ordinal) * UINT64_C(0xBF58476D1CE4E5B9);
    return hash ^ hash >> 29;
}

static uint32_t make(const struct site_key *key, uint64_t hash)
{
    uint32_t number = atomic_fetch_add(&site_count, 1) + 1;
    if (number > SITES_MAX) {
        atomic_fetch_sub(&site_count, 1);
        process_drop(DB_DROP_SITES_FULL);
        return 0;
    }
    struct site *site = &sites_table[number - 1];
    site->key = hash;
    site->instruction = key->instruction;
    site->record = ledger_claim(DB_KIND_SITE, &site->id);
    if (site->record == NULL) {
        return 0;
    }
    site->record->size_bytes = key->size_bytes;
    site->record->ordinal = (uint16_t)key->ordinal; /* of CALL_STACK_EQUALS_MAX */
    ledger_publish(site->record);
    return number;
}

/*
 * Compilers at work in the process (numba's, through LLVM) allocate in ever new sizes, each place once. So that they do not
 * take the room of what is made again and again, a place gets its site at its second birth once half of the sites are taken.
 */
static bool deserves(uint64_t hash)
{
    if (atomic_load_explicit(&site_count, memory_order_relaxed) < DB_SITES_CROWDED) {
        return true;
    }
    _Atomic uint64_t *seen = &seen_once[hash >> 32 & (SEEN_ONCE - 1)];
    return atomic_exchange_explicit(seen, hash, memory_order_relaxed) == hash;
}

OFF_HOT_PATH uint32_t sites_find(const struct site_key *key)
{
    uint64_t hash = hash_of(key);
    uint64_t tag = hash & ~NUMBER_MASK;
    uint32_t made = 0;
    for (unsigned i = 0; site_index != NULL && i < PROBES_MAX; i++) {
        _Atomic uint64_t *place = &site_index[((hash >> (64 - INDEX_BITS)) + i) & (INDEX_ENTRIES - 1)];
        uint64_t word = atomic_load_explicit(place, memory_order_acquire);
        if (word == 0) {
            if (made == 0 && !deserves(hash)) {
                return 0;
            }
            made = made != 0 ? made : make(key, hash);
            if (made == 0 || atomic_compare_exchange_strong(place, &word, tag | made)) {
                return made;
            }
        }
        uint32_t number = (uint32_t)(word & NUMBER_MASK);
        if ((word & ~NUMBER_MASK) == tag && sites_table[number - 1].key == hash) {
            return number;
        }
    }
    process_drop(DB_DROP_SITES_FULL);
    return 0;
}

uint32_t sites_count(void)
{
    uint32_t count = atomic_load(&site_count);
    return count < SITES_MAX ? count : SITES_MAX;
}

void sites_skip(struct site *site, uint64_t count)
{
    process_count(&site->record->looked_at, (uint64_t)0 - count);
}

struct history *sites_history(const struct site *site)
{
    return &histories[site - sites_table];
}

/* The place of an instruction among the fillers, or a free one for it; NULL when its neighbourhood is full. */
static _Atomic uint64_t *filler_place(uint64_t instruction)
{
    for (unsigned i = 0; i < FILLER_PROBES; i++) {
        _Atomic uint64_t *place = &fillers[((instruction >> (64 - FILLERS_BITS)) + i) & (FILLERS - 1)];
        uint64_t word = atomic_load_explicit(place, memory_order_relaxed);
        if (word == instruction || word == 0) {
            return place;
        }
    }
    return NULL;
}

bool sites_instruction_fills(const struct site *site)
{
    const _Atomic uint64_t *place = filler_place(site->instruction);
    return place != NULL && site->instruction != 0 &&
           atomic_load_explicit(place, memory_order_relaxed) == site->instruction;
}

void sites_note_fills(const struct site *site)
{
    _Atomic uint64_t *place = filler_place(site->instruction);
    if (place != NULL) {
        atomic_store_explicit(place, site->instruction, memory_order_relaxed);
    }
}

bool sites_lock(struct site *site)
{
    for (unsigned i = 0; i < SPINS_MAX; i++) {
        if (atomic_exchange_explicit(&site->busy, 1, memory_order_acquire) == 0) {
            return true;
        }
        if (i % SPINS_YIELD == SPINS_YIELD - 1) {
            syscall(SYS_sched_yield); /* the holder may wait for this very processor */
        }
        __builtin_ia32_pause();
    }
    return false;
}

void sites_unlock(struct site *site)
{
    atomic_store_explicit(&site->busy, 0, memory_order_release);
}
