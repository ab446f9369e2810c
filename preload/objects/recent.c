#include "objects/recent.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ledger/ledger.h"
#include "memory.h"
#include "objects/content.h"
#include "objects/sites.h"
#include "process.h"

#define SETS 2048u
#define SET_ENTRIES 4u
#define AWAITED_MOST (SET_ENTRIES / 2)
#define DRAW_EVERY 8u
#define DRAW_SHIFT 40u
#define LINKS 4096u
#define LINK_PROBES 32u
#define PROOFS_FIRST 4u /* equals of a link whose whole contents are compared, one after the other */
#define PROOFS_EVERY                                                                                                   \
    32u /* then when so many have not been, or some fewer: results that come round each have their turn */
#define PROOFS_ASKED 2u /* objects of either site: the next of one need not be the equal of the next of the other */
#define SPINS_MAX 1000000u
#define SPINS_YIELD 128u

struct link {
    uint64_t key; /* both sites' numbers; 0 = free */
    struct db_link *record;
    uint32_t proofs;  /* equals that whole contents confirmed */
    uint32_t pending; /* since the last of these, by samples alone: counted once there was one */
    bool distrusted;  /* equal samples of other contents were seen: from there on only what whole contents say counts */
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

static struct link *link_of(uint32_t first, uint32_t second)
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
            return link->record != NULL ? link : NULL;
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

static void ask_proof(uint32_t number)
{
    atomic_store_explicit(&sites_at(number)->wanted, PROOFS_ASKED, memory_order_relaxed);
}

static void ask_proofs(const struct recent_object *first, const struct recent_object *second)
{
    ask_proof(first->site);
    ask_proof(second->site);
}

/* Samples alone say so: believed where proofs said so before, and until one says otherwise. */
static void count_unproved(struct link *link, const struct recent_object *first, const struct recent_object *second)
{
    process_count(&link->record->objects, link->proofs > 0 ? 1 : 0);
    link->pending++;
    if (link->proofs < PROOFS_FIRST || link->pending >= PROOFS_EVERY - link->proofs % (PROOFS_EVERY / 2)) {
        ask_proofs(first, second);
    }
}

static void count_proved(struct link *link)
{
    process_count(&link->record->objects, link->proofs > 0 ? 1 : 1 + link->pending);
    link->pending = 0;
    link->proofs++;
}

static void distrust(struct link *link)
{
    process_count(&link->record->objects, (uint64_t)0 - (link->proofs > 0 ? link->pending : 0));
    link->pending = 0;
    link->distrusted = true;
}

/* False: what two lines make is not equal, though its samples are; or that is not known. */
static bool count_linked(struct link *link, const struct recent_object *first, const struct recent_object *second)
{
    bool is_proved = first->proof != 0 && second->proof != 0;
    if (is_proved && first->proof != second->proof) {
        distrust(link);
        return false;
    }
    if (link->distrusted && content_may_read_whole(sites_at(first->site)->record->size_bytes)) {
        ask_proofs(first, second);
    }
    if ((first->is_whole && second->is_whole) || (is_proved && link->distrusted)) {
        process_count(&link->record->objects, 1);
    } else if (is_proved) {
        count_proved(link);
    } else if (link->distrusted) {
        return false;
    } else {
        count_unproved(link, first, second);
    }
    return true;
}

/* `second` was born later than its equal `first`. */
static void count_pair(const struct recent_object *first, struct recent_object *second)
{
    if (same_maker(first, second)) {
        struct link *link = link_of(first->site, second->site);
        if (link == NULL || !count_linked(link, first, second)) {
            return;
        }
        atomic_store_explicit(&sites_at(first->site)->is_made_again, true, memory_order_relaxed);
    } else if (second->birth <= first->death) {
        process_count(&sites_at(second->site)->record->copies, 1);
    } else {
        return;
    }
    second->is_counted = true;
    mark_match(first->site);
    mark_match(second->site);
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

/* The oldest of those that are awaited, or that are not; NULL: there is none. */
static struct recent_object *oldest_of(struct recent_object *set, bool awaited)
{
    struct recent_object *oldest = NULL;
    for (unsigned i = 0; i < SET_ENTRIES; i++) {
        bool is_older = oldest == NULL || set[i].death < oldest->death;
        oldest = set[i].is_awaited == awaited && is_older ? &set[i] : oldest;
    }
    return oldest;
}

/*
 * Whose place the next one takes: the oldest's of those that are not awaited, or where these have hardly any, of those that are. Now and then it
 * is another's: what is made again after more objects than there is room for would else never be found, and nothing of it awaited.
 */
static struct recent_object *least_wanted(struct recent_object *set, uint64_t digest)
{
    unsigned awaited = 0;
    for (unsigned i = 0; i < SET_ENTRIES; i++) {
        awaited += set[i].is_awaited ? 1 : 0;
    }
    struct recent_object *oldest = oldest_of(set, awaited > AWAITED_MOST);
    struct recent_object *drawn = &set[digest >> DRAW_SHIFT & (SET_ENTRIES - 1)];
    bool is_draw = (digest >> (DRAW_SHIFT + 8)) % DRAW_EVERY == 0;
    return is_draw && oldest->death != 0 && !drawn->is_awaited ? drawn : oldest;
}

static void meet_set(struct recent_object *set, struct recent_object *object)
{
    const struct recent_object *first = NULL;
    for (unsigned i = 0; i < SET_ENTRIES; i++) {
        struct recent_object *entry = &set[i];
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
    object->is_awaited = atomic_load_explicit(&sites_at(object->site)->is_made_again, memory_order_relaxed);
    *least_wanted(set, object->digest) = *object;
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
