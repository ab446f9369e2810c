#include "objects/far.h"

#include "config.h"
#include "memory.h"
#include "objects/content.h"
#include "objects/far_history.h"
#include "process.h"

#define TABLES 1024u
#define NO_TABLE UINT32_MAX /* it shows nothing, or there was none left */
#define NEAR_FROM_BIRTH 256u
#define PROOFS_FIRST 3u

struct table {
    _Atomic uint32_t taken;
    bool is_whole; /* equal samples were seen to differ elsewhere: digests are of whole contents */
    struct far_history history;
};

static struct table *tables;

bool far_start(void)
{
    if (tables == NULL) {
        tables = memory_map(TABLES * sizeof *tables);
    }
    return tables != NULL;
}

void far_reset_child(void)
{
    if (tables != NULL) {
        memory_forget(tables, TABLES * sizeof *tables);
    }
}

static uint64_t load(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* Do seven of eight objects equal one of the near history, or are constant? Then it says all there is to say. */
static bool near_covers(const struct site *site)
{
    const struct db_site *record = site->record;
    if (atomic_load_explicit(&site->last_match, memory_order_relaxed) == 0 && site->constants == 0) {
        return false;
    }
    uint64_t contents = load(&record->examined) - load(&record->constant);
    return load(&record->replicas) * 8 >= contents * 7;
}

/* The program's start makes many objects in few places each, data structures too: the first of a site are skipped. */
bool far_wants(const struct site *site, size_t size_bytes, uint32_t birth)
{
    if (size_bytes < DB_FAR_MIN_BYTES || birth <= DB_FAR_SKIPPED_BIRTHS || site->is_structure ||
        atomic_load_explicit(&site->far, memory_order_relaxed) == NO_TABLE) {
        return false;
    }
    return birth <= NEAR_FROM_BIRTH || config.digest_full || !near_covers(site);
}

bool far_selects(const struct site *site, uintptr_t start, uint32_t *selector)
{
    uint32_t number = atomic_load_explicit(&site->far, memory_order_relaxed);
    if (number == NO_TABLE || !content_selector(start, site->record->size_bytes, selector)) {
        return false;
    }
    return number == 0 || far_history_may_select(&tables[number - 1].history, *selector);
}

static uint32_t take_table(void)
{
    for (uint32_t i = 0; tables != NULL && i < TABLES; i++) {
        if (atomic_load_explicit(&tables[i].taken, memory_order_relaxed) == 0 &&
            atomic_exchange(&tables[i].taken, 1) == 0) {
            return i + 1;
        }
    }
    process_drop(DB_DROP_TABLE_FULL);
    return NO_TABLE;
}

/* The site's own; NULL when there is none to have. */
static struct table *table_of(struct site *site)
{
    uint32_t number = atomic_load_explicit(&site->far, memory_order_relaxed);
    if (number == 0) {
        number = take_table();
        atomic_store_explicit(&site->far, number, memory_order_relaxed);
    }
    return number != NO_TABLE ? &tables[number - 1] : NULL;
}

static void start_anew(struct table *table, bool is_whole)
{
    far_history_empty(&table->history);
    table->is_whole = is_whole;
}

static void store(uint64_t *counter, uint64_t value)
{
    __atomic_store_n(counter, value, __ATOMIC_RELAXED);
}

static void note(struct db_site *record, const struct far_history *history)
{
    struct far_sums sums = far_history_sum(history);
    uint32_t votes = 0, period = distances_commonest(&history->distances, &votes);
    store(&record->far_births, sums.births);
    store(&record->far_contents, history->entries);
    store(&record->far_examined, sums.examined);
    store(&record->far_squares, sums.squares);
    store(&record->far_spans, sums.spans);
    store(&record->far_period_replicas, votes);
    __atomic_store_n(&record->far_period, period, __ATOMIC_RELAXED);
    __atomic_store_n(&record->far_bits, history->bits, __ATOMIC_RELAXED);
}

/* The site is asked no more. */
static void give_up(struct site *site, struct table *table)
{
    atomic_store_explicit(&site->far, NO_TABLE, memory_order_relaxed);
    start_anew(table, false);
    note(site->record, &table->history);
    atomic_store(&table->taken, 0);
}

/* One object on its way into the far history. */
struct selected {
    uintptr_t start;
    size_t size_bytes;
    uint64_t digest;
    uint32_t selector, birth;
};

static bool use_whole(struct selected *object)
{
    return content_digest(object->start, object->size_bytes, &object->digest);
}

/*
 * Equal samples: are the whole contents? Asked of the second and third object of a content, then ever more rarely: each
 * content that comes a third time is proved.
 */
static bool agrees(struct table *table, uint32_t entry, const struct selected *object)
{
    uint32_t before = table->history.counts[entry], *known = &table->history.proofs[entry];
    bool asks = before < PROOFS_FIRST || (before & (before - 1)) == 0;
    uint64_t whole = 0;
    if (table->is_whole || !asks || !content_may_read_whole(object->size_bytes) ||
        !content_digest(object->start, object->size_bytes, &whole)) {
        return true;
    }
    uint32_t proof = (uint32_t)(whole >> 32) | 1;
    *known = *known != 0 ? *known : proof;
    return *known == proof;
}

/* False: too many contents, or those that hardly differ: all of each object would have to be read. */
static bool enter(struct table *table, struct selected *object)
{
    struct far_history *history = &table->history;
    if (table->is_whole && (history->by_digest || !content_may_read_whole(object->size_bytes))) {
        return false;
    }
    if (table->is_whole && !use_whole(object)) {
        return true;
    }
    uint32_t entry = far_history_find(history, object->digest);
    if (entry < FAR_ENTRIES && !agrees(table, entry, object)) {
        start_anew(table, true);
        return !use_whole(object) || far_history_add(history, object->selector, object->digest, object->birth);
    }
    if (entry < FAR_ENTRIES) {
        far_history_count(history, entry, object->birth);
        return true;
    }
    return far_history_add(history, object->selector, object->digest, object->birth);
}

static void meet(struct site *site, struct selected *object)
{
    struct table *table = table_of(site);
    if (table == NULL) {
        return;
    }
    if ((site->distrusted || config.digest_full) && !table->is_whole) {
        start_anew(table, true);
    }
    if (enter(table, object)) {
        note(site->record, &table->history);
    } else {
        give_up(site, table);
    }
}

void far_meet(struct site *site, const struct object *object, uintptr_t start, uint32_t selector)
{
    struct content_sample sample;
    uint64_t word = 0;
    if (!content_sample_take(&sample, start, site->record->size_bytes) || content_sample_is_constant(&sample, &word) ||
        !sites_lock(site)) {
        return;
    }
    struct selected selected = {.start = start,
                                .size_bytes = sample.size_bytes,
                                .digest = content_sample_digest(&sample),
                                .selector = selector,
                                .birth = object->origin.birth};
    meet(site, &selected);
    sites_unlock(site);
}
