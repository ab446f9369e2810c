/*
 * One object as the tables of live objects keep it: a cache line, read by handlers while its owner may be writing. A table tells by a
 * word of its own whose the entry is, and takes that back before the entry is written anew.
 */
#ifndef PIEPROF_PRELOAD_OBJECT_ENTRY_H
#define PIEPROF_PRELOAD_OBJECT_ENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "objects/object_map.h"

struct object_entry {
    _Alignas(64) _Atomic uintptr_t start;
    _Atomic size_t size_bytes;
    _Atomic uint64_t serial;
    struct object_origin origin; /* for handlers its site and epoch alone */
};

_Static_assert(sizeof(struct object_entry) == 64, "an entry is a cache line");

/*
 * All but `start`. Part by part, never in one move: an origin was written so just before, and a load that spans several stores which
 * are on their way has to wait for all of them.
 */
static inline void object_entry_write(struct object_entry *entry, const struct object *object)
{
    const struct object_origin *from = &object->origin;
    struct object_origin *to = &entry->origin;
    atomic_store_explicit(&entry->serial, object->serial, memory_order_relaxed);
    atomic_store_explicit(&entry->size_bytes, object->size_bytes, memory_order_relaxed);
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

/* All of it, for who has taken the entry. */
static inline void object_entry_read(const struct object_entry *entry, uintptr_t start, struct object *object)
{
    object->start = start;
    object->size_bytes = atomic_load_explicit(&entry->size_bytes, memory_order_relaxed);
    object->serial = atomic_load_explicit(&entry->serial, memory_order_relaxed);
    object->origin = entry->origin;
}

/* What object_map_find() tells, for who then looks whether the table's word still stands; false when the entry itself has changed. */
static inline bool object_entry_peek(const struct object_entry *entry, uintptr_t start, struct object *object)
{
    uint64_t serial = atomic_load_explicit(&entry->serial, memory_order_relaxed);
    object->start = start;
    object->size_bytes = atomic_load_explicit(&entry->size_bytes, memory_order_relaxed);
    object->serial = serial;
    object->origin.site = __atomic_load_n(&entry->origin.site, __ATOMIC_RELAXED);
    object->origin.epoch = __atomic_load_n(&entry->origin.epoch, __ATOMIC_RELAXED);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&entry->serial, memory_order_relaxed) == serial;
}

#endif
