#include "objects/neighbours.h"

#include <stdatomic.h>
#include <string.h>

#include "ledger/ledger.h"
#include "objects/replica.h"
#include "process.h"

#define PAGE_BYTES ((uintptr_t)4096)
#define TABLE_PAIRS 2048u /* a power of two */
#define PROBES_MAX 32u
#define FOUND_MAX (PAGE_BYTES / OBJECT_MIN_BYTES + 1)

static _Atomic uint32_t table[TABLE_PAIRS]; /* ids of records, 0 = free */

void neighbours_reset_child(void)
{
    memset((void *)table, 0, sizeof table);
}

/* How much of the object lies on the page. */
static uint64_t bytes_on(uintptr_t page, const struct object *object)
{
    uintptr_t low = object->start > page ? object->start : page, end = object->start + object->size_bytes;
    uintptr_t high = end < page + PAGE_BYTES ? end : page + PAGE_BYTES;
    return high > low ? high - low : 0;
}

/* Fills a free place. Where another thread was first, ours is never published: readers skip it. */
static void settle(_Atomic uint32_t *place, uint32_t site, uint32_t neighbour)
{
    uint32_t id = 0, there = 0;
    struct db_neighbour *record = ledger_claim(DB_KIND_NEIGHBOUR, &id);
    if (record == NULL) {
        return; /* counted by the ledger */
    }
    record->site = site;
    record->neighbour = neighbour;
    if (atomic_compare_exchange_strong(place, &there, id)) {
        ledger_publish(record);
    }
}

static struct db_neighbour *record_of(uint32_t site, uint32_t neighbour)
{
    uint64_t hash = ((uint64_t)site << 32 | neighbour) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (uint32_t probe = 0; probe < PROBES_MAX; probe++) {
        _Atomic uint32_t *place = &table[(hash + probe) % TABLE_PAIRS];
        if (atomic_load(place) == 0) {
            settle(place, site, neighbour);
        }
        struct db_neighbour *record = ledger_record(DB_KIND_NEIGHBOUR, atomic_load(place));
        if (record == NULL) {
            return NULL;
        }
        if (record->site == site && record->neighbour == neighbour) {
            return record;
        }
    }
    process_drop(DB_DROP_TABLE_FULL);
    return NULL;
}

static void count(uint32_t site, uint32_t neighbour, uint64_t bytes, uint64_t neighbour_bytes)
{
    struct db_neighbour *record = record_of(site, neighbour);
    if (record != NULL) {
        process_count(&record->bytes, bytes);
        process_count(&record->neighbour_bytes, neighbour_bytes);
        process_count(&record->accesses, 1);
    }
}

/* The page's bytes of sites, each once. */
struct found {
    size_t count;
    struct {
        uint32_t site;
        uint64_t bytes;
    } sites[FOUND_MAX];
};

static void found_add(struct found *found, uint32_t site, uint64_t bytes)
{
    for (size_t i = 0; i < found->count; i++) {
        if (found->sites[i].site == site) {
            found->sites[i].bytes += bytes;
            return;
        }
    }
    if (found->count < FOUND_MAX) {
        found->sites[found->count].site = site;
        found->sites[found->count++].bytes = bytes;
    }
}

/*
 * No object is smaller than OBJECT_MIN_BYTES, so none that lies on the page is missed: it holds the page's first byte, its
 * last, or one at a multiple of that.
 */
static void look(struct found *found, uintptr_t page, const struct object *accessed)
{
    uint64_t last = accessed->serial;
    for (uintptr_t at = 0; at <= PAGE_BYTES; at += OBJECT_MIN_BYTES) {
        struct object object;
        uintptr_t address = page + (at < PAGE_BYTES ? at : PAGE_BYTES - 1);
        bool own = address - accessed->start < accessed->size_bytes;
        if (own || !object_map_find(address, &object) || object.serial == last || object.serial == accessed->serial) {
            continue;
        }
        uint32_t site = replica_site(&object.origin);
        last = object.serial;
        if (site != 0) {
            found_add(found, site, bytes_on(page, &object));
        }
    }
}

void neighbours_note(uintptr_t address, const struct object *object, uint32_t site)
{
    struct found found = {.count = 0};
    uintptr_t page = address & ~(PAGE_BYTES - 1);
    if (bytes_on(page, object) == PAGE_BYTES) {
        return;
    }
    look(&found, page, object);
    for (size_t i = 0; i < found.count; i++) {
        if (found.sites[i].site != site) {
            count(site, found.sites[i].site, bytes_on(page, object), found.sites[i].bytes);
        }
    }
}
