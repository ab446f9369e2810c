/*
 * The reserve: extents that this process claimed from the run and that the file system has backed, waiting to be used.
 * Handlers take from it and the chore fills it; but Python code that allocates from the interpreter's own arenas may make
 * no interposed call for seconds, and then a handler that finds the reserve empty tops it up itself: fallocate(2) is a system
 * call without locks or memory of ours. Slots are swapped, never linked, so there is no ABA to fear.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "chores.h"
#include "kernel.h"
#include "ledger/map.h"
#include "memory.h"

#define EXTENTS_FIRST 8u /* a process soon uses one of each kind */
#define EXTENTS_RESERVE_LEAST 4u
#define EXTENTS_AT_ONCE 2u /* what a handler takes when there is nothing left */
#define EXTENTS_RESERVE_MOST 64u
#define EXTENTS_HASTE_NS UINT64_C(300000000)    /* asked again so soon: the reserve is too small */
#define EXTENTS_LEISURE_NS UINT64_C(5000000000) /* asked again so late: it is too large */
#define EXTENTS_RETRY_NS UINT64_C(1000000000)   /* how often a full file system is asked again */

static _Atomic uint32_t extents_spare[EXTENTS_RESERVE_MOST]; /* index + 1, 0 = empty slot */
static _Atomic uint32_t extents_spare_count;
static _Atomic uint32_t extents_target = EXTENTS_RESERVE_LEAST;
static _Atomic uint32_t extents_used;
static uint64_t extents_reserved_ns; /* chore only: one thread at a time */

bool ledger_extents_start(void)
{
    for (int kind = DB_KIND_NONE + 1; kind < DB_KIND_END; kind++) {
        ledger_map.extents[kind] = memory_map(ledger_map.extents_limit * sizeof *ledger_map.extents[kind]);
        if (ledger_map.extents[kind] == NULL) {
            return false;
        }
    }
    return true;
}

void ledger_extents_reset(void)
{
    for (int kind = DB_KIND_NONE + 1; kind < DB_KIND_END; kind++) {
        memory_forget((void *)ledger_map.extents[kind], ledger_map.extents_limit * sizeof *ledger_map.extents[kind]);
        atomic_store(&ledger_map.claimed[kind], 0);
    }
    for (size_t i = 0; i < EXTENTS_RESERVE_MOST; i++) {
        atomic_store(&extents_spare[i], 0);
    }
    atomic_store(&extents_spare_count, 0);
    atomic_store(&extents_target, EXTENTS_RESERVE_LEAST);
    atomic_store(&ledger_map.shortage, LEDGER_SHORTAGE_NONE);
    atomic_store(&extents_used, 0);
    extents_reserved_ns = 0;
}

void ledger_extent_put_back(uint32_t index_plus_one)
{
    for (size_t i = 0; i < EXTENTS_RESERVE_MOST; i++) {
        uint32_t empty = 0;
        if (atomic_compare_exchange_strong(&extents_spare[i], &empty, index_plus_one)) {
            atomic_fetch_add(&extents_spare_count, 1);
            return;
        }
    }
}

/* Claims up to `wanted` neighbouring extents; the number got, 0 when PIEPROF_MAX_SIZE is used up. */
static uint32_t extents_claim(uint32_t wanted, uint32_t *first)
{
    uint64_t *claimed = &ledger_map.header->extents_claimed;
    uint64_t before = __atomic_load_n(claimed, __ATOMIC_RELAXED);
    uint32_t got;
    do {
        if (before >= ledger_map.extents_limit) {
            return 0;
        }
        uint64_t room = ledger_map.extents_limit - before;
        got = room < wanted ? (uint32_t)room : wanted;
    } while (!__atomic_compare_exchange_n(claimed, &before, before + got, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    *first = (uint32_t)before;
    return got;
}

/* Gives claimed extents back while nobody has claimed behind them; else they stay as they are: claimed, never used. */
static bool extents_unclaim(uint32_t first, uint32_t count)
{
    uint64_t end = (uint64_t)first + count;
    return __atomic_compare_exchange_n(&ledger_map.header->extents_claimed, &end, first, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* Cut short by somebody and grown again by another process, the file would hand out extents we already use. */
static bool extents_file_is_whole(void)
{
    bool whole = memcmp(ledger_map.header->magic, DB_MAGIC, DB_MAGIC_BYTES) == 0;
    if (!whole) {
        ledger_lose();
    }
    return whole;
}

/* True when `wanted` extents, or fewer, were added to the reserve. */
static bool extents_add(uint32_t wanted)
{
    uint32_t first;
    uint32_t count = extents_claim(wanted, &first);
    if (count == 0) {
        atomic_store(&ledger_map.shortage, LEDGER_SHORTAGE_FILE);
        return false;
    }
    int descriptor = ledger_descriptor_borrow();
    int error = descriptor < 0
                    ? EBADF
                    : ledger_back(descriptor, ledger_extent_offset(first), (uint64_t)count * DB_EXTENT_BYTES);
    ledger_descriptor_return(descriptor);
    if (error != 0) {
        extents_unclaim(first, count);
        atomic_store(&ledger_map.shortage, LEDGER_SHORTAGE_DISK);
        return false;
    }
    uint64_t end = ledger_extent_offset(first + count);
    ledger_map.backed_bytes = end > ledger_map.backed_bytes ? end : ledger_map.backed_bytes;
    for (uint32_t i = 0; i < count; i++) {
        ledger_extent_put_back(first + i + 1);
    }
    atomic_store(&ledger_map.shortage, LEDGER_SHORTAGE_NONE);
    return true;
}

/* Index + 1 of a spare extent, 0 when there is none. */
static uint32_t extents_take_spare(void)
{
    uint32_t taken = 0;
    for (size_t i = 0; i < EXTENTS_RESERVE_MOST && taken == 0; i++) {
        if (atomic_load_explicit(&extents_spare[i], memory_order_relaxed) != 0) {
            taken = atomic_exchange(&extents_spare[i], 0);
        }
    }
    if (taken != 0) {
        atomic_fetch_sub(&extents_spare_count, 1);
        atomic_fetch_add(&extents_used, 1);
    }
    return taken;
}

uint32_t ledger_extent_take(void)
{
    uint32_t taken = extents_take_spare();
    if (taken == 0 && atomic_load(&ledger_map.shortage) == LEDGER_SHORTAGE_NONE && ledger_descriptor_held() &&
        extents_file_is_whole() && extents_add(EXTENTS_AT_ONCE)) {
        taken = extents_take_spare();
    }
    uint32_t left = atomic_load(&extents_spare_count);
    if (left < atomic_load(&extents_target) / 2 + 1 && atomic_load(&ledger_map.shortage) != LEDGER_SHORTAGE_FILE) {
        chores_want(CHORE_RESERVE);
    }
    return taken;
}

/* A reserve that is asked for again at once is too small for how fast this program makes contexts. */
static void extents_adapt(uint64_t now_ns)
{
    uint64_t since_ns = now_ns - extents_reserved_ns;
    uint32_t target = atomic_load(&extents_target);
    if (atomic_load(&extents_used) > EXTENTS_FIRST && since_ns < EXTENTS_HASTE_NS && target < EXTENTS_RESERVE_MOST) {
        atomic_store(&extents_target, target * 2);
    } else if (since_ns > EXTENTS_LEISURE_NS && target > EXTENTS_RESERVE_LEAST) {
        atomic_store(&extents_target, target / 2);
    }
    extents_reserved_ns = now_ns;
}

void ledger_reserve(void)
{
    if (ledger_map.header == NULL || atomic_load(&ledger_map.lost)) {
        return;
    }
    uint64_t now_ns = kernel_clock_ns(CLOCK_MONOTONIC);
    if (atomic_load(&ledger_map.shortage) == LEDGER_SHORTAGE_DISK && now_ns - extents_reserved_ns < EXTENTS_RETRY_NS) {
        return;
    }
    if (!extents_file_is_whole()) {
        return;
    }
    extents_adapt(now_ns);
    uint32_t target = atomic_load(&extents_used) == 0 ? EXTENTS_FIRST : atomic_load(&extents_target);
    uint32_t have = atomic_load(&extents_spare_count);
    if (have < target && !extents_add(target - have) && atomic_load(&ledger_map.shortage) == LEDGER_SHORTAGE_DISK) {
        while (atomic_load(&extents_spare_count) < target && extents_add(1)) {
        }
    }
}

void ledger_extents_release(void)
{
    /* From the last one down, so that each is the end of the claimed ones when its turn comes. */
    for (;;) {
        uint32_t last = 0;
        size_t slot = 0;
        for (size_t i = 0; i < EXTENTS_RESERVE_MOST; i++) {
            uint32_t spare = atomic_load(&extents_spare[i]);
            if (spare > last) {
                last = spare;
                slot = i;
            }
        }
        if (last == 0 || atomic_exchange(&extents_spare[slot], 0) != last || !extents_unclaim(last - 1, 1)) {
            return;
        }
        atomic_fetch_sub(&extents_spare_count, 1);
    }
}
