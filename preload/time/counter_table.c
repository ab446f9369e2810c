#include "time/counter_table.h"

#include <stdatomic.h>
#include <stddef.h>

#include "ledger/ledger.h"
#include "memory.h"
#include "process.h"

#define SLOTS 65536u
#define PROBES 16u

struct slot {
    _Atomic uint64_t key; /* node << 8 | event, never 0 for a node that exists; 0 = free */
    _Atomic uint32_t id;  /* 0 while being made */
};

static struct slot *slots;

bool counter_table_start(void)
{
    if (slots == NULL) {
        slots = memory_map(SLOTS * sizeof *slots);
    }
    return slots != NULL;
}

void counter_table_reset_child(void)
{
    if (slots != NULL) {
        memory_forget(slots, SLOTS * sizeof *slots);
    }
}

static uint32_t counter_make(uint32_t node, uint32_t event)
{
    uint32_t id;
    struct db_counter *counter = ledger_claim(DB_KIND_COUNTER, &id);
    if (counter == NULL) {
        return 0;
    }
    counter->node = node;
    counter->event = event;
    ledger_publish(counter);
    return id;
}

/* The slot of the key, claimed if need be. NULL (counted) when its neighbourhood is full. */
static struct slot *slot_find(uint64_t key, bool *fresh)
{
    uint64_t hash = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 48;
    for (uint64_t probe = 0; probe < PROBES; probe++) {
        struct slot *slot = &slots[(hash + probe) % SLOTS];
        uint64_t found = 0;
        *fresh = atomic_compare_exchange_strong(&slot->key, &found, key);
        if (*fresh || found == key) {
            return slot;
        }
    }
    process_drop(DB_DROP_TABLE_FULL);
    return NULL;
}

bool counter_table_add(uint32_t node, uint32_t event, uint64_t amount)
{
    bool fresh;
    struct slot *slot = slot_find((uint64_t)node << 8 | event, &fresh);
    if (slot == NULL) {
        return false;
    }
    if (fresh) {
        atomic_store(&slot->id, counter_make(node, event));
    }
    uint32_t id = atomic_load(&slot->id);
    struct db_counter *counter = id != 0 ? ledger_record(DB_KIND_COUNTER, id) : NULL;
    if (counter == NULL) {
        return false;
    }
    process_count(&counter->value, amount);
    return true;
}
