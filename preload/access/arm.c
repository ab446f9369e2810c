/* From an access that was found to a watch on some of its bytes. */
#include <time.h>

#include "access/engine.h"
#include "access/governor.h"
#include "access/text.h"
#include "kernel.h"
#include "objects/heat.h"
#include "objects/object_map.h"
#include "objects/replica.h"
#include "process.h"
#include "stack/context.h"

#define OTHER_CLASS_ODDS 4u /* one in so many accesses outside objects is watched: they only count */

static bool overlaps_armed(const struct access_thread *at, uintptr_t address, uint32_t size_bytes)
{
    for (unsigned i = 0; i < at->register_count; i++) {
        const struct watch_register *reg = &at->registers[i];
        if (reg->kind != WATCH_OFF && address < reg->address + reg->size_bytes && reg->address < address + size_bytes) {
            return true;
        }
    }
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        const struct watch *watch = &at->watches[i];
        if (watch->phase != WATCH_FREE && address < watch->address + watch->size_bytes &&
            watch->address < address + size_bytes) {
            return true;
        }
    }
    return false;
}

/* calloc()'s zeros, into what will be an object when it returns (access_adopt()). */
static bool is_zeroing(const struct access_thread *at, const struct found *found)
{
    const struct context_scratch *scratch = at->thread->scratch;
    return found->store && found->context_holds && scratch->native_count > 1 &&
           text_owner_of(scratch->native[1].address) == TEXT_ALLOCATOR;
}

static bool worth_watching(struct access_thread *at, const struct found *found, uint32_t address_class)
{
    return address_class == DB_CLASS_OBJECT || (address_class == DB_CLASS_OTHER_HEAP && is_zeroing(at, found)) ||
           (address_class != DB_CLASS_STACK && access_random(at) % OTHER_CLASS_ODDS == 0);
}

/* A register for the place, or NULL and the reason counted. */
static struct watch *take_watch(struct access_thread *at, const struct found *found, const struct watch_place *place,
                                uint32_t address_class)
{
    if (!worth_watching(at, found, address_class)) {
        process_drop(DB_DROP_CLASS_SAMPLED_OUT);
        return NULL;
    }
    if (overlaps_armed(at, place->address, place->size_bytes)) {
        process_drop(DB_DROP_WATCH_OVERLAP);
        return NULL;
    }
    bool too_dear = governor_waiting_is_dear() && !governor_allows_waiting();
    struct watch *watch = too_dear ? NULL : registers_take(at);
    patience_adapt(at, watch != NULL);
    if (watch == NULL) {
        at->passed_over++;
        process_drop(too_dear ? DB_DROP_GOVERNED : DB_DROP_WATCHES_BUSY);
    }
    return watch;
}

/* Accesses on the path to the chosen one that touch the watched bytes. */
static unsigned count_early(const struct machine_find *find, const struct watch_place *place)
{
    unsigned early = 0;
    for (unsigned i = 0; i < find->before; i++) {
        const struct machine_span *span = &find->touched[i];
        early +=
            span->address < place->address + place->size_bytes && place->address < span->address + span->size_bytes;
    }
    return early;
}

void arm_watch(struct access_thread *at, const ucontext_t *uc, const struct found *found)
{
    const struct machine_access *access = &found->find->access;
    struct watch_place place;
    watch_choose_place(access->address, access->size_bytes, access->element_bytes, access_random(at), &place);
    uint32_t address_class = object_map_class(place.address, machine_stack_pointer(uc));
    if (address_class == DB_CLASS_OBJECT) {
        heat_note(place.address); /* armed or not: it was accessed */
    }
    struct watch *watch = take_watch(at, found, &place, address_class);
    if (watch == NULL) {
        return;
    }
    struct io_range *range = watch->range;
    struct object object = object_map_at(place.address);
    *watch = (struct watch){.phase = WATCH_BIRTH,
                            .store = found->store,
                            .early = count_early(found->find, &place),
                            .access_bytes = access->size_bytes,
                            .address_class = address_class,
                            .address = place.address,
                            .size_bytes = place.size_bytes,
                            .value_address = place.value_address,
                            .value_bytes = place.value_bytes,
                            .float_bytes = access->float_bytes,
                            .instruction = access->instruction,
                            .object_serial = object.serial,
                            .object_site = replica_site(&object.origin),
                            .weight_ns = found->weight_ns,
                            .range = range};
    watch->scope_known = scope_open(at, found->slot);
    if (!watch->scope_known && at->thread->scratch->has_python_state) { /* a worker is called by nobody */
        process_drop(DB_DROP_NO_RETURN_SLOT);
    }
    if (!verdict_read_value(watch, &watch->current)) {
        verdict_end(at, watch, DB_DROP_WATCH_UNREADABLE);
        return;
    }
    if (found->context_holds) {
        watch->node = context_intern(at->thread->scratch, access->instruction);
    }
    if (!watch_register_arm(access_register_of(at, watch), WATCH_ACCESS, place.address, place.size_bytes)) {
        verdict_end(at, watch, DB_DROP_NO_REGISTER);
        return;
    }
    patience_begin(at, watch, found->sixteenths, kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID));
    watch->others_known = thread_others_ran(&watch->others);
    io_range_set(range, place.address, place.size_bytes);
    process_count(&process_record->armed, 1);
}
