/*
 * Buckets of eight keys, one cache line each; the rest of an object lies beside, at the same index. A key is
 * (start >> k) << 6 | k with k = floor(log2(size)), so it is never 0 (free) nor 1 (being written). Entries are claimed by
 * exchanging the key; readers take the entry and look again whether key and serial still stand.
 *
 * A key has a bucket in the near part, which a program with a few thousand objects hardly leaves: it stays within a
 * megabyte, each page of which is met again and again. What finds no room there goes to the far part, where nearly every
 * object meets a page of its own.
 */
#include "objects/object_map.h"

#include <stdatomic.h>

#include "alone.h"
#include "hot.h"
#include "memory.h"
#include "process.h"

#define NEAR_BITS 11u
#define FAR_BITS 14u
#define BUCKET_ENTRIES 8u
#define FAR_FIRST (BUCKET_ENTRIES << NEAR_BITS) /* index of the far part's first entry */
#define FAR_BUCKETS ((size_t)1 << FAR_BITS)
#define FAR_REACH 64u /* buckets that a key may lie behind its own */
#define ENTRIES (FAR_FIRST + (BUCKET_ENTRIES << FAR_BITS))
#define LIVE_MAX ((int32_t)(ENTRIES / 4 * 3)) /* fuller, keys would have to go too far */
#define SIZE_CLASSES 48u
#define WINDOWS 3u
#define KEY_FREE UINT64_C(0)
#define KEY_BUSY UINT64_C(1)

/* One cache line. */
struct entry {
    _Alignas(64) _Atomic uintptr_t start;
    _Atomic size_t size_bytes;
    _Atomic uint64_t serial;
    struct object_origin origin; /* for handlers its site and epoch alone */
};

_Static_assert(sizeof(struct entry) == 64, "an entry is a cache line");

static _Atomic uint64_t *keys;
static struct entry *entries;
static atomic_bool had_class[SIZE_CLASSES]; /* classes that never had an object are not probed */
static atomic_bool far_used;
static _Atomic uint16_t passed[FAR_BUCKETS]; /* keys behind this bucket whose own is this one or one before */
/*
 * Objects in both parts, once the far one is used. Off by those that came or went in other threads while they were counted: below 0,
 * it may be, when all others have ended.
 */
static _Atomic int32_t living;
static uint64_t serials;        /* atomic */
static uint64_t serials_before; /* of the parent's, in a forked child */

bool object_map_start(void)
{
    if (keys != NULL) {
        return true;
    }
    entries = memory_map(ENTRIES * sizeof *entries);
    _Atomic uint64_t *fresh = memory_map(ENTRIES * sizeof *fresh);
    if (entries == NULL || fresh == NULL) {
        return false;
    }
    keys = fresh;
    return true;
}

/* The heap came along, so its objects did: nothing is forgotten, serials go on. */
void object_map_reset_child(void)
{
    serials_before = __atomic_load_n(&serials, __ATOMIC_RELAXED);
}

static uint32_t class_of(size_t size_bytes)
{
    return 63u - (uint32_t)__builtin_clzll(size_bytes);
}

static uint64_t key_of(uint64_t window, uint32_t size_class)
{
    return window << 6 | size_class;
}

/* Multiplicative hashing: neighbouring windows must scatter. */
static uint64_t hash_of(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15);
}

/* Index of the first entry of a key's bucket. */
static size_t near_bucket(uint64_t key)
{
    return (size_t)(hash_of(key) >> (64 - NEAR_BITS)) * BUCKET_ENTRIES;
}

/* Number of the far bucket that lies `back` behind the key's own, and the index of its first entry. */
static size_t far_number(uint64_t key, size_t back)
{
    return ((size_t)(hash_of(key) >> (64 - FAR_BITS)) + back) % FAR_BUCKETS;
}

static size_t far_bucket(size_t number)
{
    return FAR_FIRST + number * BUCKET_ENTRIES;
}

static bool bucket_find(size_t bucket, uint64_t key, size_t *index)
{
    const _Atomic uint64_t *const first = &keys[bucket];
#pragma GCC unroll 8 /* most births look through all of them, and find none */
    for (size_t i = 0; i < BUCKET_ENTRIES; i++) {
        if (atomic_load_explicit(&first[i], memory_order_acquire) == key) {
            *index = bucket + i;
            return true;
        }
    }
    return false;
}

static OFF_HOT_PATH bool far_find(uint64_t key, size_t *index)
{
    for (size_t back = 0; back < FAR_REACH; back++) {
        size_t number = far_number(key, back);
        if (bucket_find(far_bucket(number), key, index)) {
            return true;
        }
        if (atomic_load_explicit(&passed[number], memory_order_acquire) == 0) {
            return false;
        }
    }
    return false;
}

static bool is_far_used(void)
{
    return atomic_load_explicit(&far_used, memory_order_acquire);
}

static bool key_find(uint64_t key, size_t *index)
{
    return bucket_find(near_bucket(key), key, index) || (is_far_used() && far_find(key, index));
}

/* Makes it busy if it still is `key`'s. A lone thread has no rival: no handler comes between (gate.h). */
static bool entry_claim(size_t index, uint64_t key)
{
    if (!is_alone()) {
        return atomic_compare_exchange_strong(&keys[index], &key, KEY_BUSY);
    }
    bool is_still = atomic_load_explicit(&keys[index], memory_order_relaxed) == key;
    if (is_still) {
        atomic_store_explicit(&keys[index], KEY_BUSY, memory_order_relaxed);
    }
    return is_still;
}

static bool bucket_claim(size_t bucket, size_t *index)
{
    for (size_t i = bucket; i < bucket + BUCKET_ENTRIES; i++) {
        if (atomic_load_explicit(&keys[i], memory_order_relaxed) == KEY_FREE && entry_claim(i, KEY_FREE)) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* The key is not, or no more, `back` buckets behind its own. */
static OFF_HOT_PATH void unpass(uint64_t key, size_t back)
{
    while (back-- > 0) {
        atomic_fetch_sub(&passed[far_number(key, back)], 1);
    }
}

static OFF_HOT_PATH bool far_claim(uint64_t key, size_t *index)
{
    for (size_t back = 0; back < FAR_REACH; back++) {
        size_t number = far_number(key, back);
        if (bucket_claim(far_bucket(number), index)) {
            return true;
        }
        atomic_fetch_add(&passed[number], 1);
    }
    unpass(key, FAR_REACH);
    return false;
}

/* From here on objects are counted. That the near part is full tells that there are not too many yet. */
static __attribute__((noinline, cold)) void far_begin(void)
{
    int32_t near = 0;
    for (size_t i = 0; i < FAR_FIRST; i++) {
        near += atomic_load_explicit(&keys[i], memory_order_relaxed) != KEY_FREE ? 1 : 0;
    }
    atomic_store_explicit(&living, near, memory_order_relaxed);
    atomic_store_explicit(&far_used, true, memory_order_release);
}

/* A counted update takes longer than all else at a birth: programs that stay in the near part are spared it. */
static void count_living(int32_t more)
{
    if (is_far_used()) {
        atomic_fetch_add_explicit(&living, more, memory_order_relaxed);
    }
}

/*
 * An entry for `key`, marked busy. One that still carries it is an object whose death went unseen (it was freed inside the
 * shim): two cannot live in one window, so the new one takes its place.
 */
static bool key_claim(uint64_t key, size_t *index)
{
    if (key_find(key, index) && entry_claim(*index, key)) {
        return true;
    }
    if (is_far_used() && atomic_load_explicit(&living, memory_order_relaxed) >= LIVE_MAX) {
        return false;
    }
    if (!bucket_claim(near_bucket(key), index)) {
        if (!is_far_used()) {
            far_begin();
        }
        if (!far_claim(key, index)) {
            return false;
        }
    }
    count_living(1);
    return true;
}

static void key_release(uint64_t key, size_t index)
{
    atomic_store_explicit(&keys[index], KEY_FREE, memory_order_release);
    if (index >= FAR_FIRST) {
        size_t number = (index - FAR_FIRST) / BUCKET_ENTRIES;
        unpass(key, (number - far_number(key, 0)) % FAR_BUCKETS);
    }
    count_living(-1);
}

/*
 * Part by part, never in one move: an origin was written so just before, and a load that spans several stores which are on
 * their way has to wait for all of them.
 */
static void copy_origin(struct object_origin *to, const struct object_origin *from)
{
    __atomic_store_n(&to->site, from->site, __ATOMIC_RELAXED);
    __atomic_store_n(&to->birth, from->birth, __ATOMIC_RELAXED);
    __atomic_store_n(&to->generation, from->generation, __ATOMIC_RELAXED);
    __atomic_store_n(&to->marks, from->marks, __ATOMIC_RELAXED);
    __atomic_store_n(&to->epoch, from->epoch, __ATOMIC_RELAXED);
    __atomic_store_n(&to->depth, from->depth, __ATOMIC_RELAXED);
    __atomic_store_n(&to->flags, from->flags, __ATOMIC_RELAXED);
    __atomic_store_n(&to->born_tick, from->born_tick, __ATOMIC_RELAXED);
    __atomic_store_n(&to->slack_bytes, from->slack_bytes, __ATOMIC_RELAXED);
}

void object_map_prefetch(uintptr_t start, size_t size_bytes)
{
    uint32_t size_class = class_of(size_bytes);
    size_t bucket = near_bucket(key_of(start >> size_class, size_class));
    if (keys != NULL) {
        __builtin_prefetch((const void *)&keys[bucket], 1);
        __builtin_prefetch(&entries[bucket], 1);
    }
}

bool object_map_restore(const struct object *object)
{
    uint32_t size_class = class_of(object->size_bytes);
    uint64_t key = key_of(object->start >> size_class, size_class);
    size_t index;
    if (size_class >= SIZE_CLASSES || !key_claim(key, &index)) {
        process_drop(DB_DROP_OBJECT_TABLE_FULL);
        return false;
    }
    atomic_store_explicit(&entries[index].serial, object->serial, memory_order_relaxed);
    atomic_store_explicit(&entries[index].start, object->start, memory_order_relaxed);
    atomic_store_explicit(&entries[index].size_bytes, object->size_bytes, memory_order_relaxed);
    copy_origin(&entries[index].origin, &object->origin);
    if (!atomic_load_explicit(&had_class[size_class], memory_order_relaxed)) {
        atomic_store_explicit(&had_class[size_class], true, memory_order_relaxed);
    }
    atomic_store_explicit(&keys[index], key, memory_order_release);
    return true;
}

static uint64_t take_serial(void)
{
    uint64_t serial = count_next(&serials);
    __atomic_store_n(&process_record->objects, serial - serials_before, __ATOMIC_RELAXED);
    return serial;
}

void object_map_count(void)
{
    take_serial();
}

bool object_map_birth_of(struct object *object)
{
    if (keys == NULL || object->size_bytes == 0) {
        return false;
    }
    object->serial = take_serial();
    return object_map_restore(object);
}

void object_map_birth(uintptr_t start, size_t size_bytes)
{
    object_map_birth_of(&(struct object){.start = start, .size_bytes = size_bytes});
}

uint64_t object_map_last_serial(void)
{
    return __atomic_load_n(&serials, __ATOMIC_RELAXED);
}

bool object_map_take(uintptr_t start, size_t usable_bytes, struct object *object)
{
    size_t index;
    if (keys == NULL || usable_bytes == 0) {
        return false;
    }
    uint32_t size_class = class_of(usable_bytes);
    uint64_t key = key_of(start >> size_class, size_class);
    if (!key_find(key, &index) || atomic_load_explicit(&entries[index].start, memory_order_relaxed) != start) {
        return false;
    }
    object->start = start;
    object->size_bytes = atomic_load_explicit(&entries[index].size_bytes, memory_order_relaxed);
    object->serial = atomic_load_explicit(&entries[index].serial, memory_order_relaxed);
    object->origin = entries[index].origin;
    /* Nobody else can take it: the block is still the caller's, and no other lies in its window. */
    key_release(key, index);
    return true;
}

bool object_map_death(uintptr_t start, size_t usable_bytes)
{
    struct object object;
    return object_map_take(start, usable_bytes, &object);
}

/* A consistent copy of the entry, if it still is `key`'s. */
static bool entry_copy(size_t index, uint64_t key, struct object *object)
{
    uint64_t serial = atomic_load_explicit(&entries[index].serial, memory_order_relaxed);
    object->start = atomic_load_explicit(&entries[index].start, memory_order_relaxed);
    object->size_bytes = atomic_load_explicit(&entries[index].size_bytes, memory_order_relaxed);
    object->serial = serial;
    object->origin.site = __atomic_load_n(&entries[index].origin.site, __ATOMIC_RELAXED);
    object->origin.epoch = __atomic_load_n(&entries[index].origin.epoch, __ATOMIC_RELAXED);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&keys[index], memory_order_relaxed) == key &&
           atomic_load_explicit(&entries[index].serial, memory_order_relaxed) == serial;
}

/* An object of [2^k, 2^(k+1)) bytes that holds the address starts in its window of 2^k bytes or in the two before. */
static bool find_in_class(uintptr_t address, uint32_t size_class, struct object *object)
{
    uint64_t window = address >> size_class;
    for (uint64_t back = 0; back < WINDOWS && back <= window; back++) {
        uint64_t key = key_of(window - back, size_class);
        size_t index;
        if (key_find(key, &index) && entry_copy(index, key, object) && address - object->start < object->size_bytes) {
            return true;
        }
    }
    return false;
}

bool object_map_find(uintptr_t address, struct object *object)
{
    if (keys == NULL) {
        return false;
    }
    for (uint32_t size_class = 0; size_class < SIZE_CLASSES; size_class++) {
        if (atomic_load_explicit(&had_class[size_class], memory_order_relaxed) &&
            find_in_class(address, size_class, object)) {
            return true;
        }
    }
    return false;
}

void object_map_visit(void (*visit)(const struct object *object, void *state), void *state)
{
    size_t end = keys == NULL ? 0 : is_far_used() ? ENTRIES : FAR_FIRST; /* to read the rest would make it resident */
    for (size_t i = 0; i < end; i++) {
        struct object object;
        uint64_t key = atomic_load_explicit(&keys[i], memory_order_acquire);
        if (key > KEY_BUSY && entry_copy(i, key, &object)) {
            object.origin = entries[i].origin;
            visit(&object, state);
        }
    }
}
