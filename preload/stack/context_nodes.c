#include "stack/context_nodes.h"

#include <stdatomic.h>
#include <stddef.h>

#include "ledger/ledger.h"
#include "memory.h"
#include "process.h"

#define TABLE_BITS 19u
#define NEAR_BITS 15u
#define NEAR_PROBES 8u
#define PROBES_MAX 512u
#define TABLE_BYTES (sizeof(*table) * ((1u << NEAR_BITS) + (1u << TABLE_BITS)))

/*
 * A near part takes what it can, so that a small program stays within a few pages; the far part follows it.
 *
 * Open addressing; a word is the hash's upper half and the node's id, 0 when free. The record itself is the key: it is
 * whole and published before its word appears. Two threads that intern the same path at once may leave one node that
 * nobody refers to.
 */
static _Atomic uint64_t *table;

bool context_nodes_start(void)
{
    if (table == NULL) {
        table = memory_map(TABLE_BYTES);
    }
    return table != NULL;
}

void context_nodes_reset_child(void)
{
    if (table != NULL) {
        memory_forget((void *)table, TABLE_BYTES);
    }
}

static uint64_t hash_of(uint32_t parent, uint32_t frame, uint64_t value)
{
    uint64_t hash = (value ^ (uint64_t)frame << 56) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 29 ^ parent) * UINT64_C(0xBF58476D1CE4E5B9);
    return hash ^ hash >> 32;
}

/* The i-th place to look at: eight words of one cache line in the near part, then along the far part. */
static _Atomic uint64_t *place_at(uint64_t hash, unsigned i)
{
    if (i < NEAR_PROBES) {
        uint64_t line = hash & ((1u << NEAR_BITS) / NEAR_PROBES - 1);
        return &table[line * NEAR_PROBES + i];
    }
    return &table[(1u << NEAR_BITS) + ((hash + i) & ((1u << TABLE_BITS) - 1))];
}

static bool matches(uint32_t id, uint32_t parent, uint32_t frame, uint64_t value)
{
    const struct db_node *node = ledger_record(DB_KIND_NODE, id);
    return node != NULL && node->parent == parent && node->frame == frame && node->value == value;
}

static uint32_t make_node(uint32_t parent, uint32_t frame, uint64_t value)
{
    uint32_t id = 0;
    struct db_node *node = ledger_claim(DB_KIND_NODE, &id);
    if (node == NULL) {
        return 0;
    }
    node->parent = parent;
    node->frame = frame;
    node->value = value;
    ledger_publish(node);
    return id;
}

uint32_t context_nodes_intern(uint32_t parent, uint32_t frame, uint64_t value)
{
    uint64_t hash = hash_of(parent, frame, value);
    uint64_t tag = hash & ~(uint64_t)UINT32_MAX;
    uint32_t made = 0;
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        _Atomic uint64_t *place = place_at(hash, i);
        uint64_t word = atomic_load_explicit(place, memory_order_acquire);
        if (word == 0) {
            made = made != 0 ? made : make_node(parent, frame, value);
            if (made == 0 || atomic_compare_exchange_strong(place, &word, tag | made)) {
                return made;
            }
        }
        if ((word & ~(uint64_t)UINT32_MAX) == tag && matches((uint32_t)word, parent, frame, value)) {
            return (uint32_t)word;
        }
    }
    process_drop(DB_DROP_TABLE_FULL);
    return 0;
}
