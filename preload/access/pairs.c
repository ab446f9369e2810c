#include "access/pairs.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "ledger/ledger.h"
#include "memory.h"
#include "process.h"

#define TABLE_PAIRS 32768u /* a power of two; at most three quarters are filled */
#define PROBES_MAX 64u

static _Atomic uint32_t *table; /* ids of pair records, 0 = free */

bool pairs_start(void)
{
    table = memory_map(TABLE_PAIRS * sizeof *table);
    return table != NULL;
}

void pairs_reset_child(void)
{
    if (table != NULL) {
        memory_forget((void *)table, TABLE_PAIRS * sizeof *table);
    }
}

/* Everything between `published` and the counters identifies a pair. */
#define KEY_OFFSET offsetof(struct db_pair, first_node)
#define KEY_BYTES (offsetof(struct db_pair, count) - KEY_OFFSET)
_Static_assert(KEY_BYTES == 28, "a pair's key has no padding");

static uint32_t hash_of(const struct db_pair *pair)
{
    uint32_t words[KEY_BYTES / 4], hash = 0;
    memcpy(words, (const char *)pair + KEY_OFFSET, KEY_BYTES);
    for (size_t i = 0; i < KEY_BYTES / 4; i++) {
        hash = (hash ^ words[i]) * 0x9e3779b1u;
        hash ^= hash >> 15;
    }
    return hash;
}

static bool is_same(const struct db_pair *a, const struct db_pair *b)
{
    return a != NULL && memcmp((const char *)a + KEY_OFFSET, (const char *)b + KEY_OFFSET, KEY_BYTES) == 0;
}

static void count(struct db_pair *record, uint64_t weight_ns, uint64_t scale)
{
    /* The count last: who reads a live run never finds fewer behind it than it says. */
    process_count(&record->scale_squares, scale * scale);
    process_count(&record->scale, scale);
    process_count(&record->weight_ns, weight_ns);
    process_count(&record->count, 1);
}

/* Fills the free place. Where another thread was first, ours is never published: readers skip it. */
static bool settle(_Atomic uint32_t *place, const struct db_pair *pair, uint64_t weight_ns, uint64_t scale)
{
    uint32_t id = 0, there = 0;
    struct db_pair *record = ledger_claim(DB_KIND_PAIR, &id);
    if (record == NULL) {
        return true; /* counted by the ledger */
    }
    memcpy((char *)record + KEY_OFFSET, (const char *)pair + KEY_OFFSET, KEY_BYTES);
    count(record, weight_ns, scale);
    if (!atomic_compare_exchange_strong(place, &there, id)) {
        return false;
    }
    ledger_publish(record);
    return true;
}

void pairs_add(const struct db_pair *pair, uint64_t weight_ns, uint64_t scale)
{
    uint32_t index = hash_of(pair);
    for (uint32_t probe = 0; probe < PROBES_MAX; probe++, index++) {
        _Atomic uint32_t *place = &table[index % TABLE_PAIRS];
        uint32_t id = atomic_load(place);
        if (id == 0 && settle(place, pair, weight_ns, scale)) {
            return;
        }
        struct db_pair *record = ledger_record(DB_KIND_PAIR, atomic_load(place));
        if (is_same(record, pair)) {
            count(record, weight_ns, scale);
            return;
        }
    }
    process_drop(DB_DROP_TABLE_FULL);
}
