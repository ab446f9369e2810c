#include "objects/recent.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ledger/ledger.h"
#include "memory.h"
#include "objects/sites.h"
#include "process.h"

#define SETS 1024u
#define SET_ENTRIES 4u
#define LINKS 4096u
#define LINK_PROBES 32u
#define SPINS_MAX 1000000u
#define SPINS_YIELD 128u

struct link {
    uint64_t key; /* both sites' numbers; 0 = free */
    struct db_link *record;
};

struct tables {
    struct recent_object sets[SETS][SET_ENTRIES];
    struct link links[LINKS];
};

static struct tables *tables;
static _Atomic uint32_t busy;

bool recent_start(void)
{
    if (tables == NULL) {
        tables = memory_map(sizeof *tables);
    }
    return tables != NULL;
}

void recent_reset_child(void)
{
    if (tables != NULL) {
        memory_forget(tables, sizeof *tables);
    }
    atomic_store(&busy, 0);
}

static bool lock(void)
{
    for (unsigned i = 0; i < SPINS_MAX; i++) {
        if (atomic_exchange_explicit(&busy, 1, memory_order_acquire) == 0) {
            return true;
        }
        if (i % SPINS_YIELD == SPINS_YIELD - 1) {
            syscall(SYS_sched_yield); /* the holder may wait for this very processor */
        }
        __builtin_ia32_pause();
    }
    return false;
}

static struct db_link *make_link(uint32_t first, uint32_t second)
{
    uint32_t id;
    struct db_link *record = ledger_claim(DB_KIND_LINK, &id);
    if (record != NULL) {
        record->first_site = sites_at(first)->id;
        record->second_site = sites_at(second)->id;
        ledger_publish(record);
    }
    return record;
}

static struct db_link *link_of(uint32_t first, uint32_t second)
{
    uint64_t key = (uint64_t)first << 32 | second;
    uint64_t hash = key * UINT64_C(0x9E3779B97F4A7C15) >> 52;
    for (unsigned i = 0; i < LINK_PROBES; i++) {
        struct link *link = &tables->links[(hash + i) % LINKS];
        if (link->key == 0) {
            link->key = key;
            link->record = make_link(first, second);
        }
        if (link->key == key) {
            return link->record;
        }
    }
    process_drop(DB_DROP_TABLE_FULL);
    return NULL;
}

static bool same_maker(const struct recent_object *a, const struct recent_object *b)
{
    uint64_t maker = sites_at(a->site)->maker;
    return maker != 0 && maker == sites_at(b->site)->maker;
}

static void mark_match(uint32_t number)
{
    struct site *site = sites_at(number);
    atomic_store_explicit(&site->last_match, sites_births(site), memory_order_relaxed);
}

/* `second` was born later than its equal `first`. */
static void count_pair(const struct recent_object *first, struct recent_object *second)
{
    struct db_link *link = NULL;
    if (same_maker(first, second)) {
        link = link_of(first->site, second->site);
    } else if (second->birth > first->death) {
        return;
    }
    second->is_counted = true;
    mark_match(first->site);
    mark_match(second->site);
    process_count(link != NULL ? &link->objects : &sites_at(second->site)->record->copies, 1);
}

/* Of two equals born before `object`: the one by the same function, then the later. */
static const struct recent_object *better_first(const struct recent_object *object, const struct recent_object *a,
                                                const struct recent_object *b)
{
    if (a == NULL) {
        return b;
    }
    bool a_made = same_maker(a, object);
    if (a_made != same_maker(b, object)) {
        return a_made ? a : b;
    }
    return a->birth > b->birth ? a : b;
}

static void meet_set(struct recent_object *set, struct recent_object *object)
{
    const struct recent_object *first = NULL;
    struct recent_object *oldest = &set[0];
    for (unsigned i = 0; i < SET_ENTRIES; i++) {
        struct recent_object *entry = &set[i];
        oldest = entry->death < oldest->death ? entry : oldest;
        if (entry->digest != object->digest || entry->site == object->site) {
            continue;
        }
        if (entry->birth < object->birth) {
            first = better_first(object, first, entry);
        } else if (!entry->is_counted) {
            count_pair(object, entry);
        }
    }
    if (first != NULL && !object->is_counted) {
        count_pair(first, object);
    }
    *oldest = *object;
}

void recent_meet(const struct recent_object *object)
{
    struct recent_object own = *object;
    if (tables == NULL || !lock()) {
        return;
    }
    meet_set(tables->sets[own.digest % SETS], &own);
    atomic_store_explicit(&busy, 0, memory_order_release);
}
