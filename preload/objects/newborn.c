#include "objects/newborn.h"

#include <stdatomic.h>

#include "alone.h"
#include "gate.h"
#include "hot.h"
#include "objects/object_entry.h"
#include "objects/object_table.h"
#include "thread.h"

#define SLOT_BITS 6u
#define SLOTS (1u << SLOT_BITS)
#define LISTS 8u /* the threads that make objects are few: further ones use the table */
#define START_NONE ((uintptr_t)0)
#define START_BUSY ((uintptr_t)1) /* being taken out */

struct newborns {
    struct object_entry slots[SLOTS]; /* by hash of the start, which says whether an entry stands */
};

static struct newborns lists[LISTS];
static atomic_bool in_use[LISTS];
static _Atomic uint32_t lists_used; /* those beyond never were in use */
static SHIM_THREAD_LOCAL struct newborns *own;

/* Threads that are not torn down would keep a list for ever. */
static __attribute__((noinline, cold)) struct newborns *acquire(void)
{
    for (uint32_t i = 0; i < LISTS && thread_self != NULL; i++) {
        if (!atomic_load(&in_use[i]) && !atomic_exchange(&in_use[i], true)) {
            uint32_t used = atomic_load(&lists_used);
            while (used <= i && !atomic_compare_exchange_weak(&lists_used, &used, i + 1)) {
            }
            own = &lists[i];
            return own;
        }
    }
    return NULL;
}

static struct object_entry *slot_of(struct newborns *list, uintptr_t start)
{
    return &list->slots[start * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOT_BITS)];
}

/* It is the caller's now, if it still is the one that starts there. A lone thread has no rival (gate.h). */
static bool claim(struct object_entry *slot, uintptr_t start)
{
    if (!is_alone()) {
        return atomic_compare_exchange_strong(&slot->start, &start, START_BUSY);
    }
    return atomic_load_explicit(&slot->start, memory_order_relaxed) == start;
}

static void release(struct object_entry *slot)
{
    atomic_store_explicit(&slot->start, START_NONE, memory_order_release);
}

static bool take(struct newborns *list, uintptr_t start, struct object *object)
{
    struct object_entry *slot = slot_of(list, start);
    if (atomic_load_explicit(&slot->start, memory_order_acquire) != start || !claim(slot, start)) {
        return false;
    }
    object_entry_read(slot, start, object);
    release(slot);
    return true;
}

/* First into the table and then out of here, so that nobody misses it. */
static OFF_HOT_PATH bool move_out(struct object_entry *slot, uintptr_t there)
{
    struct object moved;
    object_entry_read(slot, there, &moved);
    if (!object_table_add(&moved)) {
        return false;
    }
    if (!claim(slot, there)) {
        object_table_remove(&moved);
        return false;
    }
    release(slot);
    return true;
}

bool newborn_prefetch(uintptr_t start)
{
    if (own != NULL) {
        __builtin_prefetch(slot_of(own, start), 1);
    }
    return own != NULL;
}

bool newborn_add(const struct object *object)
{
    struct newborns *list = own != NULL ? own : acquire();
    if (list == NULL) {
        return false;
    }
    struct object_entry *slot = slot_of(list, object->start);
    uintptr_t there = atomic_load_explicit(&slot->start, memory_order_acquire);
    if (there == object->start && claim(slot, there)) { /* its death went unseen */
        object_table_dismiss();
    } else if (there != START_NONE && (there == START_BUSY || !move_out(slot, there))) {
        return false;
    }
    release(slot);
    atomic_thread_fence(memory_order_release);
    object_entry_write(slot, object);
    atomic_store_explicit(&slot->start, object->start, memory_order_release);
    return true;
}

bool newborn_take_own(uintptr_t start, struct object *object)
{
    return own != NULL && take(own, start, object);
}

bool newborn_others(void)
{
    return atomic_load_explicit(&lists_used, memory_order_acquire) > (own != NULL ? 1 : 0);
}

OFF_HOT_PATH bool newborn_take_others(uintptr_t start, struct object *object)
{
    uint32_t used = atomic_load_explicit(&lists_used, memory_order_acquire);
    for (uint32_t i = 0; i < used; i++) {
        if (&lists[i] != own && take(&lists[i], start, object)) {
            return true;
        }
    }
    return false;
}

static bool still_stands(const struct object_entry *slot, uintptr_t start, struct object *object)
{
    return start > START_BUSY && object_entry_peek(slot, start, object) &&
           atomic_load_explicit(&slot->start, memory_order_relaxed) == start;
}

bool newborn_find(uintptr_t address, struct object *object)
{
    uint32_t used = atomic_load_explicit(&lists_used, memory_order_acquire);
    for (uint32_t i = 0; i < used * SLOTS; i++) {
        const struct object_entry *slot = &lists[i / SLOTS].slots[i % SLOTS];
        uintptr_t start = atomic_load_explicit(&slot->start, memory_order_acquire);
        if (start <= address && still_stands(slot, start, object) && address - start < object->size_bytes) {
            return true;
        }
    }
    return false;
}

uint32_t newborn_count(void)
{
    uint32_t used = atomic_load_explicit(&lists_used, memory_order_acquire), count = 0;
    for (uint32_t i = 0; i < used * SLOTS; i++) {
        count += atomic_load_explicit(&lists[i / SLOTS].slots[i % SLOTS].start, memory_order_relaxed) > START_BUSY;
    }
    return count;
}

void newborn_visit(void (*visit)(const struct object *object, void *state), void *state)
{
    uint32_t used = atomic_load_explicit(&lists_used, memory_order_acquire);
    for (uint32_t i = 0; i < used * SLOTS; i++) {
        const struct object_entry *slot = &lists[i / SLOTS].slots[i % SLOTS];
        uintptr_t start = atomic_load_explicit(&slot->start, memory_order_acquire);
        struct object object;
        if (still_stands(slot, start, &object)) {
            object.origin = slot->origin;
            visit(&object, state);
        }
    }
}

/* Nobody adds to it. False: some had to stay. */
static bool empty(struct newborns *list)
{
    bool is_empty = true;
    for (uint32_t i = 0; i < SLOTS; i++) {
        uintptr_t there = atomic_load_explicit(&list->slots[i].start, memory_order_acquire);
        if (there > START_BUSY) {
            is_empty = move_out(&list->slots[i], there) && is_empty;
        }
    }
    return is_empty;
}

void newborn_leave(void)
{
    struct newborns *list = own;
    own = NULL;
    if (list != NULL && empty(list)) {
        atomic_store(&in_use[list - lists], false);
    }
}

/* What was being taken by a thread that is not here is nobody's. */
void newborn_reset_child(void)
{
    uint32_t used = atomic_load(&lists_used);
    for (uint32_t i = 0; i < used; i++) {
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            uintptr_t busy = START_BUSY;
            atomic_compare_exchange_strong(&lists[i].slots[slot].start, &busy, START_NONE);
        }
        if (&lists[i] != own && empty(&lists[i])) {
            atomic_store(&in_use[i], false);
        }
    }
}
