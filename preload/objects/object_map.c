#include "objects/object_map.h"

#include "alone.h"
#include "objects/newborn.h"
#include "objects/object_table.h"
#include "process.h"

static bool started;
static uint64_t serials;        /* atomic */
static uint64_t serials_before; /* of the parent's, in a forked child */

bool object_map_start(void)
{
    started = started || object_table_start();
    return started;
}

/* The heap came along, so its objects did: nothing is forgotten, serials go on. */
void object_map_reset_child(void)
{
    serials_before = __atomic_load_n(&serials, __ATOMIC_RELAXED);
    newborn_reset_child();
}

void object_map_leave(void)
{
    newborn_leave();
}

void object_map_prefetch(uintptr_t start, size_t size_bytes)
{
    if (started && !newborn_prefetch(start)) {
        object_table_prefetch(start, size_bytes);
    }
}

static bool admit(void)
{
    bool is_admitted = object_table_admit(newborn_count);
    if (!is_admitted) {
        process_drop(DB_DROP_OBJECT_TABLE_FULL);
    }
    return is_admitted;
}

static bool file(const struct object *object)
{
    bool is_filed = object_table_add(object);
    if (!is_filed) {
        object_table_dismiss();
        process_drop(DB_DROP_OBJECT_TABLE_FULL);
    }
    return is_filed;
}

bool object_map_restore(const struct object *object)
{
    return started && admit() && file(object);
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
    if (!started || object->size_bytes == 0) {
        return false;
    }
    object->serial = take_serial();
    return admit() && (newborn_add(object) || file(object));
}

void object_map_birth(uintptr_t start, size_t size_bytes)
{
    object_map_birth_of(&(struct object){.start = start, .size_bytes = size_bytes});
}

uint64_t object_map_last_serial(void)
{
    return __atomic_load_n(&serials, __ATOMIC_RELAXED);
}

/* One that another thread just moves from its list into the table was seen in neither: then it is in the table by now. */
static bool take_of_others(uintptr_t start, size_t usable_bytes, struct object *object)
{
    return newborn_others() && (newborn_take_others(start, object) || object_table_take(start, usable_bytes, object));
}

bool object_map_take(uintptr_t start, size_t usable_bytes, struct object *object)
{
    if (!started || usable_bytes == 0) {
        return false;
    }
    bool was_there = newborn_take_own(start, object) || object_table_take(start, usable_bytes, object) ||
                     take_of_others(start, usable_bytes, object);
    if (was_there) {
        object_table_dismiss();
    }
    return was_there;
}

bool object_map_death(uintptr_t start, size_t usable_bytes)
{
    struct object object;
    return object_map_take(start, usable_bytes, &object);
}

bool object_map_find(uintptr_t address, struct object *object)
{
    return started && (newborn_find(address, object) || object_table_find(address, object));
}

void object_map_visit(void (*visit)(const struct object *object, void *state), void *state)
{
    if (started) {
        object_table_visit(visit, state);
        newborn_visit(visit, state);
    }
}
