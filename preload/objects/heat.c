#include "objects/heat.h"

#include <stdatomic.h>

#include "hot.h"
#include "ledger/ledger.h"
#include "memory.h"
#include "objects/lifetime.h"
#include "objects/neighbours.h"
#include "objects/replica.h"
#include "objects/sites.h"
#include "process.h"
#include "thread.h"

#define SETS 2048u
#define SET_ENTRIES 4u
#define KNOWN_BITS 16u /* of the filter that most objects' ends stop at */

/* Two cache lines. What was sampled of an object: at random those of its accesses, all equally likely, that there is room for. */
struct entry {
    _Alignas(64) uint64_t serial; /* 0: free */
    uint32_t accesses;            /* sampled; DB_HEAT_KEPT of them at most are kept */
    uint32_t site;                /* id of its record */
    uint32_t ticks[DB_HEAT_KEPT];
    uint32_t nodes[DB_HEAT_KEPT]; /* of the samples that found them */
};

_Static_assert(sizeof(struct entry) == 128, "an entry is two cache lines");

struct set {
    struct entry entries[SET_ENTRIES];
};

struct tables {
    struct set sets[SETS];
    _Atomic uint32_t busy[SETS];                    /* who finds it set goes on without: a handler must not wait */
    _Atomic uint32_t records[SITES_MAX];            /* ids by the id of the site's record, less one */
    _Atomic uint32_t known[1u << (KNOWN_BITS - 5)]; /* bits: objects that may have an entry */
};

static struct tables *tables;
static _Atomic uint32_t random_state = 1;

bool heat_start(void)
{
    if (tables == NULL) {
        tables = memory_map(sizeof *tables);
    }
    return tables != NULL;
}

void heat_reset_child(void)
{
    if (tables != NULL) {
        memory_forget(tables, sizeof *tables);
    }
}

static uint64_t hash_of(uint64_t serial)
{
    return serial * UINT64_C(0x9e3779b97f4a7c15);
}

/* Marsaglia's xorshift (2003); two threads that draw at once may draw alike. */
static uint32_t draw(void)
{
    uint32_t x = atomic_load_explicit(&random_state, memory_order_relaxed);
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    atomic_store_explicit(&random_state, x, memory_order_relaxed);
    return x;
}

uint32_t heat_record(uint32_t site)
{
    _Atomic uint32_t *place = &tables->records[(site - 1) % SITES_MAX];
    uint32_t id = atomic_load(place), none = 0;
    if (id != 0 || site > SITES_MAX) {
        return site > SITES_MAX ? 0 : id;
    }
    struct db_heat *record = ledger_claim(DB_KIND_HEAT, &id);
    if (record == NULL) {
        return 0;
    }
    record->site = site;
    if (!atomic_compare_exchange_strong(place, &none, id)) {
        return none; /* another thread was first: ours is never published */
    }
    ledger_publish(record);
    return id;
}

static struct db_heat *record_of(uint32_t site)
{
    uint32_t id = heat_record(site);
    return id != 0 ? ledger_record(DB_KIND_HEAT, id) : NULL;
}

static struct set *take_set(uint64_t serial, _Atomic uint32_t **busy)
{
    size_t index = hash_of(serial) >> 32 & (SETS - 1);
    *busy = &tables->busy[index];
    return atomic_exchange_explicit(*busy, 1, memory_order_acquire) == 0 ? &tables->sets[index] : NULL;
}

static void give_back(_Atomic uint32_t *busy)
{
    atomic_store_explicit(busy, 0, memory_order_release);
}

static void forget(uint32_t site, uint64_t accesses)
{
    struct db_heat *record = record_of(site);
    if (record != NULL) {
        process_count(&record->forgotten, accesses);
    }
}

/* The object's entry, else a free one, else that of the oldest, which is forgotten. */
static struct entry *entry_of(struct set *set, uint64_t serial, uint32_t site)
{
    struct entry *found = &set->entries[0];
    for (unsigned i = 0; i < SET_ENTRIES; i++) {
        struct entry *entry = &set->entries[i];
        if (entry->serial == serial) {
            return entry;
        }
        found = entry->serial < found->serial ? entry : found;
    }
    if (found->serial != 0) {
        forget(found->site, found->accesses);
    }
    *found = (struct entry){.serial = serial, .site = site};
    return found;
}

/* Each of its accesses so far has the same chance to be among those kept (Vitter's algorithm R, 1985). */
static void keep(struct entry *entry, uint32_t tick)
{
    uint32_t accesses = ++entry->accesses;
    uint32_t place = accesses <= DB_HEAT_KEPT ? accesses - 1 : draw() % accesses;
    if (place < DB_HEAT_KEPT) {
        entry->ticks[place] = tick;
        entry->nodes[place] = thread_self != NULL ? thread_self->sample_node : 0;
    }
}

static _Atomic uint32_t *known_word(uint64_t serial, uint32_t *bit)
{
    uint64_t hash = hash_of(serial) >> (64 - KNOWN_BITS);
    *bit = UINT32_C(1) << (hash & 31);
    return &tables->known[hash >> 5];
}

static void note_time(uint32_t site, uint64_t serial)
{
    uint32_t bit;
    _Atomic uint32_t *busy, *known = known_word(serial, &bit);
    struct set *set = take_set(serial, &busy);
    if (set == NULL) {
        forget(site, 1);
        return;
    }
    keep(entry_of(set, serial, site), lifetime_tick());
    give_back(busy);
    atomic_fetch_or_explicit(known, bit, memory_order_relaxed);
}

void heat_note(uintptr_t address)
{
    struct object object;
    uint32_t site = 0;
    if (tables == NULL || !object_map_find(address, &object) || (site = replica_site(&object.origin)) == 0) {
        return;
    }
    struct db_heat *record = record_of(site);
    if (record == NULL) {
        return;
    }
    process_count(&record->accesses, 1);
    neighbours_note(address, &object, site);
    if (object.size_bytes >= DB_LIVE_SMALL_BYTES) {
        note_time(site, object.serial);
    }
}

static bool take_entry(uint64_t serial, struct entry *taken)
{
    _Atomic uint32_t *busy;
    struct set *set = take_set(serial, &busy);
    bool found = false;
    for (unsigned i = 0; set != NULL && i < SET_ENTRIES; i++) {
        if (set->entries[i].serial == serial) {
            *taken = set->entries[i];
            set->entries[i].serial = 0;
            found = true;
        }
    }
    if (set != NULL) {
        give_back(busy);
    }
    return found;
}

static void tell(const struct entry *entry, uint32_t born_tick, uint32_t life_ticks)
{
    struct db_heat *record = record_of(entry->site);
    uint32_t kept = entry->accesses < DB_HEAT_KEPT ? entry->accesses : DB_HEAT_KEPT;
    if (record == NULL) {
        return;
    }
    for (uint32_t i = 0; i < kept; i++) {
        uint64_t age = entry->ticks[i] - born_tick;
        uint64_t part = age * DB_HEAT_PARTS / life_ticks;
        part = part < DB_HEAT_PARTS ? part : DB_HEAT_PARTS - 1;
        process_count(&record->parts[part], 1);
        __atomic_store_n(&record->nodes[part], entry->nodes[i], __ATOMIC_RELAXED);
    }
    process_count(&record->lives_ns, (uint64_t)life_ticks << LIFETIME_TICK_BITS);
    process_count(&record->objects, 1);
}

OFF_HOT_PATH void heat_ended(uint32_t site, const struct object *object, uint32_t now_tick)
{
    struct entry entry;
    uint32_t bit, life_ticks = now_tick - object->origin.born_tick;
    if (tables == NULL || (atomic_load_explicit(known_word(object->serial, &bit), memory_order_relaxed) & bit) == 0) {
        return;
    }
    if (take_entry(object->serial, &entry) && entry.site == site && life_ticks >= DB_HEAT_MIN_TICKS &&
        life_ticks <= INT32_MAX) {
        tell(&entry, object->origin.born_tick, life_ticks);
    }
}
