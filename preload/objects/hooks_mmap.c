/*
 * mmap(2) and its kin: readable and writable anonymous memory that native code maps by itself is an object, of its length in
 * whole pages, until it is unmapped or its protection changes (code that was generated there, guard pages). Not so what
 * allocators map (malloc hands it out), the interpreter's arenas, stacks, memory for code, and reservations without access.
 * glibc's own mappings (malloc's, thread stacks) never come by here.
 *
 * Usable in signal handlers, in vfork children and before the constructor: no chores are done, no child is adopted, nothing
 * waits for a lock that the program may hold. The real functions stay the last thing done, but where the kernel's answer is
 * needed.
 */
#include "objects/hooks_mmap.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "access/io_hook.h"
#include "config.h"
#include "gate.h"
#include "objects/object_map.h"
#include "objects/replica.h"
#include "process.h"
#include "stack/module.h"

#define PAGE_BYTES 4096u
#define MAPPINGS_MAX 1024u
#define START_FREE 0u
#define START_BUSY 1u

/* The objects that are mappings, to be found by range: calls may name parts of one, or several. */
static struct {
    _Atomic uintptr_t start;
    _Atomic size_t size_bytes;
} mappings[MAPPINGS_MAX];
static _Atomic uint32_t mappings_used; /* entries behind were never in use */
static _Atomic uint32_t mappings_live; /* entries in use */

static __typeof__(&mmap) real_mmap;
static __typeof__(&munmap) real_munmap;
static __typeof__(&mprotect) real_mprotect;
static __typeof__(&mremap) real_mremap;

static const struct module *allocators[2];

__attribute__((constructor(101))) static void find_real_functions(void)
{
    IO_FIND(mmap);
    IO_FIND(munmap);
    IO_FIND(mprotect);
    IO_FIND(mremap);
}

/* The program's malloc, and the next one, which this shim's hooks call. */
void hooks_mmap_start(void)
{
    allocators[0] = module_find((uintptr_t)dlsym(RTLD_DEFAULT, "malloc"));
    allocators[1] = module_find((uintptr_t)dlsym(RTLD_NEXT, "malloc"));
}

/* Where a mapping is made or changed. */
struct place {
    const void *caller;
    uintptr_t frame; /* of the hook */
};

#define HERE ((struct place){__builtin_return_address(0), (uintptr_t)__builtin_frame_address(0)})

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

static bool engine_is_on(enum db_engine engine)
{
    return process_record->engines[engine].state == DB_ENGINE_ON;
}

static bool is_allocator(uintptr_t caller)
{
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++) {
        if (allocators[i] != NULL && caller >= allocators[i]->low && caller < allocators[i]->high) {
            return true;
        }
    }
    return false;
}

/* Of what is mapped to be shared no access says anything: another process may be the next one to read it, or write there. */
static bool bears_object(size_t bytes, int protection, int flags, uintptr_t caller)
{
    bool is_buffer = (flags & MAP_ANONYMOUS) != 0 && (flags & (MAP_STACK | MAP_GROWSDOWN)) == 0 &&
                     (protection & (PROT_READ | PROT_WRITE | PROT_EXEC)) == (PROT_READ | PROT_WRITE);
    if (!is_buffer || bytes < config.object_min_bytes || is_allocator(caller)) {
        return false;
    }
    return (flags & MAP_TYPE) == MAP_PRIVATE && !module_is_interpreter(caller);
}

static bool entry_add(uintptr_t start, size_t size_bytes)
{
    bool full = atomic_load(&mappings_live) >= MAPPINGS_MAX;
    for (uint32_t i = 0; i < MAPPINGS_MAX && !full; i++) {
        uintptr_t expected = START_FREE;
        if (atomic_load_explicit(&mappings[i].start, memory_order_relaxed) != START_FREE ||
            !atomic_compare_exchange_strong(&mappings[i].start, &expected, START_BUSY)) {
            continue;
        }
        atomic_fetch_add(&mappings_live, 1);
        uint32_t used = atomic_load(&mappings_used);
        while (used <= i && !atomic_compare_exchange_weak(&mappings_used, &used, i + 1)) {
        }
        atomic_store(&mappings[i].size_bytes, size_bytes);
        atomic_store(&mappings[i].start, start);
        return true;
    }
    process_drop(DB_DROP_OBJECT_TABLE_FULL);
    return false;
}

/* The entry's object leaves both tables, and nobody else has taken it. */
static bool entry_take(uint32_t index, uintptr_t start, size_t size_bytes, struct object *object)
{
    uintptr_t expected = start;
    if (!atomic_compare_exchange_strong(&mappings[index].start, &expected, START_BUSY)) {
        return false;
    }
    bool taken = atomic_load(&mappings[index].size_bytes) == size_bytes && object_map_take(start, size_bytes, object);
    atomic_store(&mappings[index].start, START_FREE);
    atomic_fetch_sub(&mappings_live, 1);
    return taken;
}

static void note_origin(struct object *object, size_t bytes, const struct place *place)
{
    const struct replica_birth birth = {.start = object->start,
                                        .is_mapped = true,
                                        .size_bytes = bytes,
                                        .usable_bytes = whole_pages(bytes),
                                        .place = (uintptr_t)place->caller ^ (uint64_t)place->frame << 16,
                                        .is_defined = true};
    replica_born(&birth, &object->origin);
}

static void note_birth(uintptr_t start, size_t bytes, const struct place *place)
{
    struct object object = {.start = start, .size_bytes = whole_pages(bytes)};
    if (engine_is_on(DB_ENGINE_REPLICA)) {
        note_origin(&object, bytes, place);
    } else if (!engine_is_on(DB_ENGINE_ACCESS)) {
        object_map_count();
        return;
    }
    if (!entry_add(start, object.size_bytes) || !object_map_birth_of(&object)) {
        replica_lost(&object);
    }
}

/*
 * What is left of an object, or what it has become: for the access engine the same one; for the replica engine one that is
 * born now with what stands in it, when it cared for the old one.
 */
static void live_on(const struct object *object, uintptr_t start, size_t bytes, const struct place *place)
{
    struct object rest = {.start = start, .size_bytes = whole_pages(bytes), .serial = object->serial};
    if (object->origin.is_counted) {
        note_origin(&rest, bytes, place);
    }
    if (!entry_add(start, rest.size_bytes) || !object_map_restore(&rest)) {
        replica_lost(&rest);
    }
}

/* A range of memory that is no object's any more. */
struct range {
    uintptr_t low, high;
    bool readable; /* its content is still there to be looked at */
};

/* What lies in the range wholly ends; of other objects parts live on. */
static void end_range(const struct range *range, const struct place *place)
{
    uint32_t used = atomic_load(&mappings_used);
    for (uint32_t i = 0; i < used; i++) {
        uintptr_t start = atomic_load(&mappings[i].start);
        size_t size_bytes = atomic_load(&mappings[i].size_bytes);
        uintptr_t end = start + size_bytes;
        struct object object;
        if (start <= START_BUSY || start >= range->high || end <= range->low ||
            !entry_take(i, start, size_bytes, &object)) {
            continue;
        }
        bool whole = range->low <= start && end <= range->high;
        replica_ended(&object, whole && range->readable ? start : 0);
        if (start < range->low) {
            live_on(&object, start, range->low - start, place);
        }
        if (end > range->high) {
            live_on(&object, range->high, end - range->high, place);
        }
    }
}

static bool take_exactly(uintptr_t start, size_t size_bytes, struct object *object)
{
    uint32_t used = atomic_load(&mappings_used);
    for (uint32_t i = 0; i < used; i++) {
        if (atomic_load(&mappings[i].start) == start && atomic_load(&mappings[i].size_bytes) == size_bytes) {
            return entry_take(i, start, size_bytes, object);
        }
    }
    return false;
}

static bool may_hold_objects(void)
{
    return atomic_load_explicit(&mappings_used, memory_order_relaxed) != 0;
}

/* Before the kernel changes a range; one that it will refuse is left alone. Keeps errno. */
static void range_ends(const void *from, size_t bytes, bool readable, const struct place *place)
{
    uintptr_t low = (uintptr_t)from, high = low + whole_pages(bytes);
    if (low % PAGE_BYTES != 0 || high <= low || !may_hold_objects() || !gate_enter_handler()) {
        return;
    }
    int kept_errno = errno;
    end_range(&(struct range){low, high, readable}, place);
    errno = kept_errno;
    gate_leave();
}

/* Before memory goes away, or is mapped anew. */
static void range_goes(const void *from, size_t bytes, const struct place *place)
{
    if (IO_WATCHED()) {
        io_mark((uintptr_t)from, bytes, IO_GONE);
    }
    range_ends(from, bytes, true, place);
}

static inline void *map(void *wanted, size_t bytes, int protection, int flags, int file, off_t at,
                        const struct place *place)
{
    if ((flags & MAP_FIXED) != 0 && (flags & MAP_FIXED_NOREPLACE) != MAP_FIXED_NOREPLACE) {
        range_goes(wanted, bytes, place);
    }
    void *start = real_mmap != NULL ? real_mmap(wanted, bytes, protection, flags, file, at)
                                    : (void *)syscall(SYS_mmap, wanted, bytes, protection, flags, file, at);
    if (start != MAP_FAILED && (flags & MAP_ANONYMOUS) != 0 && gate_enter_handler()) {
        int kept_errno = errno;
        if (bears_object(bytes, protection, flags, (uintptr_t)place->caller)) {
            note_birth((uintptr_t)start, bytes, place);
        }
        errno = kept_errno;
        gate_leave();
    }
    return start;
}

INTERPOSED void *mmap(void *wanted, size_t bytes, int protection, int flags, int file, off_t at)
{
    struct place here = HERE;
    return map(wanted, bytes, protection, flags, file, at, &here);
}

/* Another name of the same function where offsets have 64 bits anyway. */
INTERPOSED void *mmap64(void *wanted, size_t bytes, int protection, int flags, int file, off64_t at)
{
    struct place here = HERE;
    return map(wanted, bytes, protection, flags, file, at, &here);
}

INTERPOSED int munmap(void *start, size_t bytes)
{
    struct place here = HERE;
    range_goes(start, bytes, &here);
    return real_munmap != NULL ? real_munmap(start, bytes) : (int)syscall(SYS_munmap, start, bytes);
}

INTERPOSED int mprotect(void *start, size_t bytes, int protection)
{
    if ((protection & (PROT_READ | PROT_WRITE | PROT_EXEC)) != (PROT_READ | PROT_WRITE)) {
        struct place here = HERE;
        range_ends(start, bytes, false, &here);
    }
    return real_mprotect != NULL ? real_mprotect(start, bytes, protection)
                                 : (int)syscall(SYS_mprotect, start, bytes, protection);
}

/* Takes the object that is to be moved or resized whole; one of which a part is goes as if it were unmapped. */
static bool before_remap(const void *start, size_t bytes, struct object *object, const struct place *place)
{
    bool taken = false;
    if (may_hold_objects() && gate_enter_handler()) {
        taken = take_exactly((uintptr_t)start, whole_pages(bytes), object);
        gate_leave();
    }
    if (!taken) {
        range_ends(start, bytes, true, place);
    }
    return taken;
}

/* As realloc(3) does it: what it held ended here, as the start of what it is now. On failure it is what it was. */
static void after_remap(struct object *object, const void *after, size_t bytes, const struct place *place)
{
    if (!gate_enter_handler()) {
        return;
    }
    int kept_errno = errno;
    if (after != MAP_FAILED) {
        replica_ended(object, whole_pages(bytes) >= object->size_bytes ? (uintptr_t)after : 0);
        live_on(object, (uintptr_t)after, bytes, place);
    } else if (!entry_add(object->start, object->size_bytes) || !object_map_restore(object)) {
        replica_lost(object);
    }
    errno = kept_errno;
    gate_leave();
}

INTERPOSED void *mremap(void *start, size_t old_bytes, size_t new_bytes, int flags, ...)
{
    struct place here = HERE;
    struct object object;
    va_list more;
    va_start(more, flags);
    void *wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void *) : NULL;
    va_end(more);
    if (IO_WATCHED()) {
        io_mark((uintptr_t)start, old_bytes, IO_GONE);
    }
    if ((flags & MREMAP_FIXED) != 0) {
        range_goes(wanted, new_bytes, &here);
    }
    bool was_object = before_remap(start, old_bytes, &object, &here);
    void *after = real_mremap != NULL ? real_mremap(start, old_bytes, new_bytes, flags, wanted)
                                      : (void *)syscall(SYS_mremap, start, old_bytes, new_bytes, flags, wanted);
    if (was_object) {
        after_remap(&object, after, new_bytes, &here);
    }
    return after;
}
