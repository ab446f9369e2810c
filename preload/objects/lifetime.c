#include "objects/lifetime.h"

#include <stdatomic.h>
#include <time.h>

#include "alone.h"
#include "hot.h"
#include "kernel.h"
#include "ledger/ledger.h"
#include "objects/sites.h"
#include "process.h"

#define BIN_BITS 22u /* the curve's bins are 4 ms at first */
/* Going up, what stands is noted when this much has come on top of what was noted last: growth is geometric, so this is done
 * some hundred times at most. Coming down from a peak it is noted as it was, if that is paid for: each object that is born
 * pays for a look at one site, which takes some nanoseconds. */
#define UP_SHARE 16
#define UP_BYTES ((int64_t)1 << 20)
#define LOOKS_FREE (1u << 18) /* a millisecond or two: programs of few objects are known best */

static struct db_live *_Atomic live; /* the record; NULL until something was alive, or when there is no room */
static atomic_bool live_refused;
static uint64_t start_ns;
static _Atomic uint32_t bin_bits = BIN_BITS;
static atomic_bool curve_busy, snapshot_busy; /* who finds them set goes on without */
static _Atomic uint64_t looks;                /* looks at sites so far */
SHIM_THREAD_LOCAL int64_t lifetime_pending;

void lifetime_reset_child(void)
{
    atomic_store(&live, NULL);
    atomic_store(&live_refused, false);
    atomic_store(&bin_bits, BIN_BITS);
    atomic_store(&curve_busy, false);
    atomic_store(&snapshot_busy, false);
    atomic_store(&looks, object_map_last_serial());
    lifetime_pending = 0;
}

/* Two threads that come first at once claim two records: the one that nobody uses is never published. */
static __attribute__((noinline, cold)) struct db_live *claim(void)
{
    uint32_t id;
    struct db_live *fresh = atomic_load(&live_refused) ? NULL : ledger_claim(DB_KIND_LIVE, &id), *none = NULL;
    if (fresh == NULL) {
        atomic_store(&live_refused, true); /* what starts late would never balance */
        return NULL;
    }
    fresh->bin_ns = UINT64_C(1) << BIN_BITS;
    start_ns = process_record->start_monotonic_ns;
    if (!atomic_compare_exchange_strong(&live, &none, fresh)) {
        return none;
    }
    ledger_publish(fresh);
    return fresh;
}

struct db_live *lifetime_record(void)
{
    struct db_live *found = atomic_load_explicit(&live, memory_order_acquire);
    return __builtin_expect(found != NULL, 1) ? found : claim();
}

/* Since the process began. Read without a system call, a few nanoseconds; it moves every few milliseconds. */
static uint64_t now_ns(void)
{
    uint64_t now = kernel_clock_ns(CLOCK_MONOTONIC_COARSE);
    return now > start_ns ? now - start_ns : 0;
}

uint32_t lifetime_tick(void)
{
    return (uint32_t)(now_ns() >> LIFETIME_TICK_BITS);
}

static int64_t load(const int64_t *value)
{
    return __atomic_load_n(value, __ATOMIC_RELAXED);
}

static bool raise_to(uint64_t *most, int64_t level)
{
    uint64_t old = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (level > 0 && (uint64_t)level > old) {
        if (__atomic_compare_exchange_n(most, &old, (uint64_t)level, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

/* Bins twice as long: pairs become one. */
static void merge_bins(struct db_live *curve)
{
    for (uint32_t i = 0; i < DB_LIVE_BINS / 2; i++) {
        uint64_t one = curve->max_bytes[2 * i], other = curve->max_bytes[2 * i + 1];
        __atomic_store_n(&curve->max_bytes[i], one > other ? one : other, __ATOMIC_RELAXED);
    }
    for (uint32_t i = DB_LIVE_BINS / 2; i < DB_LIVE_BINS; i++) {
        __atomic_store_n(&curve->max_bytes[i], 0, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&curve->bins, (curve->bins + 1) / 2, __ATOMIC_RELAXED);
    uint32_t bits = atomic_fetch_add(&bin_bits, 1) + 1;
    __atomic_store_n(&curve->bin_ns, UINT64_C(1) << bits, __ATOMIC_RELAXED);
}

/* Opens the bin of this moment; until now the level was as it was before. */
static void open_bin(struct db_live *curve, uint64_t now, int64_t before)
{
    if (atomic_exchange_explicit(&curve_busy, true, memory_order_acquire)) {
        return;
    }
    while (now >> atomic_load(&bin_bits) >= DB_LIVE_BINS) {
        merge_bins(curve);
    }
    uint64_t bin = now >> atomic_load(&bin_bits);
    for (uint32_t i = curve->bins; i <= bin; i++) {
        __atomic_store_n(&curve->max_bytes[i], before > 0 ? (uint64_t)before : 0, __ATOMIC_RELAXED);
    }
    if (bin >= curve->bins) {
        __atomic_store_n(&curve->bins, (uint32_t)bin + 1, __ATOMIC_RELAXED);
    }
    atomic_store_explicit(&curve_busy, false, memory_order_release);
    process_refresh_clocks(); /* without the time engine nothing else does */
}

static void note_level(struct db_live *curve, uint64_t now, int64_t before, int64_t level)
{
    uint64_t bin = now >> atomic_load_explicit(&bin_bits, memory_order_relaxed);
    if (bin >= __atomic_load_n(&curve->bins, __ATOMIC_RELAXED)) {
        open_bin(curve, now, before);
        bin = now >> atomic_load_explicit(&bin_bits, memory_order_relaxed);
    }
    if (level > before && bin < DB_LIVE_BINS) {
        raise_to(&curve->max_bytes[bin], level);
        if (raise_to(&curve->peak_bytes, level)) {
            __atomic_store_n(&curve->peak_at_ns, now, __ATOMIC_RELAXED);
        }
    }
}

/* What stands now, by site. Other threads may go on meanwhile. */
static OFF_HOT_PATH void take_snapshot(struct db_live *curve, uint64_t now)
{
    if (atomic_exchange_explicit(&snapshot_busy, true, memory_order_acquire)) {
        return;
    }
    uint32_t count = sites_count();
    atomic_fetch_add_explicit(&looks, count, memory_order_relaxed);
    for (uint32_t number = 1; number <= count; number++) {
        struct db_site *site = sites_at(number)->record;
        if (site != NULL && site->size_bytes >= DB_LIVE_SMALL_BYTES) {
            uint64_t births = __atomic_load_n(&site->births, __ATOMIC_RELAXED), ended = site->ended;
            uint64_t alive = births > ended ? births - ended : 0;
            __atomic_store_n(&site->peak_objects, alive < UINT32_MAX ? (uint32_t)alive : UINT32_MAX, __ATOMIC_RELAXED);
        }
    }
    int64_t small = load(&curve->small_bytes), siteless = load(&curve->siteless_bytes), bytes = load(&curve->bytes);
    __atomic_store_n(&curve->snapshot_bytes, bytes > 0 ? (uint64_t)bytes : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&curve->snapshot_at_ns, now, __ATOMIC_RELAXED);
    __atomic_store_n(&curve->snapshot_small_bytes, small > 0 ? (uint64_t)small : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&curve->snapshot_siteless_bytes, siteless > 0 ? (uint64_t)siteless : 0, __ATOMIC_RELAXED);
    atomic_store_explicit(&snapshot_busy, false, memory_order_release);
}

static bool has_outgrown(const struct db_live *curve, int64_t level)
{
    int64_t last = (int64_t)__atomic_load_n(&curve->snapshot_bytes, __ATOMIC_RELAXED);
    int64_t step = last / UP_SHARE;
    return level - last >= (step > UP_BYTES ? step : UP_BYTES);
}

/* Before bytes go: do they stand at a peak that was not noted as it is? */
static bool is_fresh_peak(const struct db_live *curve)
{
    int64_t level = load(&curve->bytes);
    return level >= (int64_t)__atomic_load_n(&curve->peak_bytes, __ATOMIC_RELAXED) &&
           level > (int64_t)__atomic_load_n(&curve->snapshot_bytes, __ATOMIC_RELAXED) &&
           (has_outgrown(curve, level) || object_map_last_serial() + LOOKS_FREE >=
                                              atomic_load_explicit(&looks, memory_order_relaxed) + sites_count());
}

static void change(struct db_live *curve, uint64_t now, int64_t bytes)
{
    int64_t level = count_add(&curve->bytes, bytes);
    note_level(curve, now, level - bytes, level);
    if (bytes > 0 && has_outgrown(curve, level)) {
        take_snapshot(curve, now);
    }
}

/* What is pending, now counted among the small ones; the sum of all is the caller's to change. */
static int64_t take_pending(struct db_live *curve)
{
    int64_t bytes = lifetime_pending;
    if (bytes != 0) {
        lifetime_pending = 0;
        count_add(&curve->small_bytes, bytes);
    }
    return bytes;
}

static void tell_pending(struct db_live *curve, uint64_t now)
{
    if (lifetime_pending < 0 && is_fresh_peak(curve)) {
        take_snapshot(curve, now);
    }
    if (lifetime_pending != 0) {
        change(curve, now, take_pending(curve));
    }
}

OFF_HOT_PATH void lifetime_flush(void)
{
    struct db_live *curve = lifetime_pending != 0 ? lifetime_record() : NULL;
    if (curve != NULL) {
        tell_pending(curve, now_ns());
    }
}

OFF_HOT_PATH void lifetime_born_large(struct db_site *site, size_t requested_bytes, struct object_origin *origin)
{
    struct db_live *curve = lifetime_record();
    uint64_t now = now_ns();
    origin->born_tick = (uint32_t)(now >> LIFETIME_TICK_BITS);
    if (site != NULL) {
        uint64_t standing = origin->birth - __atomic_load_n(&site->ended, __ATOMIC_RELAXED);
        if (standing > __atomic_load_n(&site->most_alive, __ATOMIC_RELAXED)) {
            __atomic_store_n(&site->most_alive, (uint32_t)standing, __ATOMIC_RELAXED);
        }
    }
    if (curve == NULL) {
        return;
    }
    if (site == NULL) {
        count_add(&curve->siteless_bytes, (int64_t)requested_bytes);
    }
    change(curve, now, take_pending(curve) + (int64_t)requested_bytes); /* at once: its site has counted it already */
}

/* Most live for less than a tick. */
static void count_end(struct db_site *site, uint64_t now, const struct object_origin *origin)
{
    uint32_t ticks = (uint32_t)(now >> LIFETIME_TICK_BITS) - origin->born_tick;
    if (ticks != 0) {
        process_count(&site->lifetime_ns, (uint64_t)ticks << LIFETIME_TICK_BITS);
    }
    count_next(&site->ended);
}

OFF_HOT_PATH void lifetime_ended_large(struct db_site *site, size_t requested_bytes, const struct object_origin *origin)
{
    struct db_live *curve = lifetime_record();
    uint64_t now = now_ns();
    if (curve != NULL) {
        tell_pending(curve, now);
        if (is_fresh_peak(curve)) {
            take_snapshot(curve, now);
        }
    }
    if (site != NULL) {
        count_end(site, now, origin);
    }
    if (curve != NULL) {
        if (site == NULL) {
            count_add(&curve->siteless_bytes, -(int64_t)requested_bytes);
        }
        change(curve, now, -(int64_t)requested_bytes);
    }
}

void lifetime_finish(void)
{
    struct db_live *curve = atomic_load(&live);
    lifetime_flush();
    if (curve != NULL && load(&curve->bytes) >= (int64_t)curve->peak_bytes) {
        take_snapshot(curve, now_ns());
    }
}
