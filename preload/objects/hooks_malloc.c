/*
 * The malloc family. A small request in a recording process costs three loads more than without the shim; births and
 * deaths are noted from OBJECT_MIN_BYTES on. The real allocator is the next one in the search order, be it libc's or
 * another preloaded one; where such a library comes before this one, its allocations are not seen.
 */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "chores.h"
#include "config.h"
#include "gate.h"
#include "hot.h"
#include "objects/allocator.h"
#include "objects/bootstrap.h"
#include "objects/call_stack.h"
#include "objects/hooks_malloc.h"
#include "objects/object_map.h"
#include "objects/replica.h"
#include "process.h"
#include "real.h"
#include "stack/module.h"
#include "thread.h"

#define PAGE_BYTES ((size_t)4096)

void free_sized(void *block, size_t bytes);
void free_aligned_sized(void *block, size_t alignment, size_t bytes);

/* The real family, looked up together. */
static struct {
    atomic_bool known;
    __typeof__(&malloc) malloc;
    __typeof__(&calloc) calloc;
    __typeof__(&realloc) realloc;
    __typeof__(&free) free;
    __typeof__(&posix_memalign) posix_memalign;
    __typeof__(&aligned_alloc) aligned_alloc;
    __typeof__(&memalign) memalign;
    __typeof__(&valloc) valloc;
    __typeof__(&pvalloc) pvalloc;
    __typeof__(&malloc_usable_size) malloc_usable_size;
} real;

static SHIM_THREAD_LOCAL bool resolving; /* dlsym() allocates on this very thread */

#define RESOLVE(name) (*(void **)&real.name = dlsym(RTLD_NEXT, #name))

/*
 * Until objects are recorded, or where no engine wants them, no block is one. Nor may an allocator be asked before: sanitizers
 * free memory while they start, and refuse every other call.
 */
static size_t size_unknown(void *block)
{
    (void)block;
    return 0;
}

static __attribute__((noinline, cold)) bool real_resolve(void)
{
    if (resolving) {
        return false;
    }
    resolving = true;
    RESOLVE(malloc), RESOLVE(calloc), RESOLVE(realloc), RESOLVE(free), RESOLVE(posix_memalign), RESOLVE(aligned_alloc);
    RESOLVE(memalign), RESOLVE(valloc), RESOLVE(pvalloc);
    real.malloc_usable_size = size_unknown;
    resolving = false;
    atomic_store_explicit(&real.known, true, memory_order_release);
    return true;
}

/* False while dlsym() runs below us: only the bootstrap arena can serve. */
static inline bool real_known(void)
{
    return __builtin_expect(atomic_load_explicit(&real.known, memory_order_relaxed), 1) || real_resolve();
}

void hooks_malloc_start(void)
{
    bool wanted = config.engines[DB_ENGINE_ACCESS] || config.engines[DB_ENGINE_REPLICA];
    if (wanted && real_known() && allocator_tells_sizes(real.malloc)) {
        RESOLVE(malloc_usable_size);
    }
}

/* Nothing to do at a small request: recording, and nobody waits for a call outside handlers. */
static inline bool quiet(void)
{
    return __builtin_expect(*gate_phase_word == GATE_OPEN, 1) &&
           __builtin_expect(atomic_load_explicit(&chores_wanted, memory_order_relaxed) == 0, 1);
}

static bool objects_wanted(void)
{
    return process_record->engines[DB_ENGINE_ACCESS].state == DB_ENGINE_ON ||
           process_record->engines[DB_ENGINE_REPLICA].state == DB_ENGINE_ON;
}

/*
 * Decided by what was asked for: by how much an allocator rounds up depends on what lies beside. Neither the interpreter's own
 * small data are objects, nor the thread-local data of libraries, which the dynamic loader allocates, nor what the C library
 * allocates for itself: buffers of streams and directories go to and from the kernel by calls within it, which no hook sees, so
 * that all that is stored there would look dead. The texts that it makes for others (strdup, getline, asprintf) are no arrays.
 */
static bool bears_object(size_t bytes, const void *caller)
{
    return bytes >= config.object_min_bytes && !module_is_loader((uintptr_t)caller) &&
           !module_is_c_library((uintptr_t)caller) &&
           (bytes >= OBJECT_INTERPRETER_MIN_BYTES || !module_is_interpreter((uintptr_t)caller));
}

static bool replicas_wanted(void)
{
    return process_record->engines[DB_ENGINE_REPLICA].state == DB_ENGINE_ON;
}

/* An allocation as it was asked for. */
struct request {
    size_t bytes;
    const void *caller;
    uintptr_t frame; /* of the hook: with the caller, it tells allocations of one native call from one another */
    bool zeroed, resized;
};

static void note_origin(struct object *object, const struct request *request)
{
    if (!replicas_wanted()) {
        object->origin = (struct object_origin){0};
        return;
    }
    const struct replica_birth birth = {.start = object->start,
                                        .size_bytes = request->bytes,
                                        .usable_bytes = object->size_bytes,
                                        .place = (uintptr_t)request->caller ^ (uint64_t)request->frame << 16,
                                        .is_defined = request->zeroed || request->resized};
    replica_born(&birth, &object->origin);
}

static void note_birth(void *block, const struct request *request)
{
    size_t bytes =
        objects_wanted() && bears_object(request->bytes, request->caller) ? real.malloc_usable_size(block) : 0;
    if (bytes >= OBJECT_MIN_BYTES) { /* 0: it does not say */
        object_map_prefetch((uintptr_t)block, bytes);
        struct object object;
        object.start = (uintptr_t)block;
        object.size_bytes = bytes;
        note_origin(&object, request);
        if (!object_map_birth_of(&object)) {
            replica_lost(&object);
        } else if (request->zeroed) {
            access_adopt(&object);
        }
    }
}

/* After an allocation: adopts a forked child, does chores, notes a birth. Keeps errno. */
static HOT_PATH void *allocated(void *block, size_t request_bytes, const void *caller, bool zeroed)
{
    int *errno_place = gate_errno();
    int kept_errno = *errno_place;
    if (gate_enter()) {
        chores_poll();
        if (block != NULL && request_bytes >= OBJECT_MIN_BYTES) {
            note_birth(block, &(struct request){.bytes = request_bytes,
                                                .caller = caller,
                                                .frame = (uintptr_t)__builtin_frame_address(0),
                                                .zeroed = zeroed});
        }
        gate_leave();
    }
    *errno_place = kept_errno;
    return block;
}

/* No object comes of it. */
static inline bool is_small(size_t bytes, const void *caller)
{
    return bytes < OBJECT_MIN_BYTES ||
           (bytes < OBJECT_INTERPRETER_MIN_BYTES && module_is_interpreter((uintptr_t)caller));
}

#define ALLOCATED_AS(block, bytes, zeroed)                                                                             \
    (is_small((bytes), __builtin_return_address(0)) && quiet()                                                         \
         ? (block)                                                                                                     \
         : allocated((block), (bytes), __builtin_return_address(0), (zeroed)))
#define ALLOCATED(block, bytes) ALLOCATED_AS(block, bytes, false)

/* While the real allocator works. */
static inline void expect_birth(size_t bytes)
{
    if (bytes >= OBJECT_MIN_BYTES && thread_self != NULL) {
        __builtin_prefetch((const void *)gate_phase_word);
        call_stack_prefetch(thread_self->objects);
    }
}

INTERPOSED void *malloc(size_t bytes)
{
    if (!real_known()) {
        return bootstrap_allocate(bytes, 0);
    }
    expect_birth(bytes);
    void *block = real.malloc(bytes);
    return ALLOCATED(block, bytes);
}

INTERPOSED void *calloc(size_t count, size_t size)
{
    size_t bytes;
    bool overflow = __builtin_mul_overflow(count, size, &bytes);
    if (!real_known()) {
        return overflow ? NULL : bootstrap_allocate(bytes, 0);
    }
    expect_birth(bytes);
    void *block = real.calloc(count, size);
    return ALLOCATED_AS(block, overflow ? 0 : bytes, true);
}

INTERPOSED void *memalign(size_t alignment, size_t bytes)
{
    if (!real_known()) {
        return bootstrap_allocate(bytes, alignment);
    }
    void *block = real.memalign(alignment, bytes);
    return ALLOCATED(block, bytes);
}

INTERPOSED void *aligned_alloc(size_t alignment, size_t bytes)
{
    if (!real_known()) {
        return bootstrap_allocate(bytes, alignment);
    }
    void *block = real.aligned_alloc(alignment, bytes);
    return ALLOCATED(block, bytes);
}

INTERPOSED int posix_memalign(void **to, size_t alignment, size_t bytes)
{
    if (!real_known()) {
        *to = bootstrap_allocate(bytes, alignment);
        return *to != NULL ? 0 : ENOMEM;
    }
    expect_birth(bytes);
    int status = real.posix_memalign(to, alignment, bytes);
    if (status == 0) {
        ALLOCATED(*to, bytes);
    }
    return status;
}

INTERPOSED void *valloc(size_t bytes)
{
    if (!real_known()) {
        return bootstrap_allocate(bytes, 4096);
    }
    void *block = real.valloc(bytes);
    return ALLOCATED(block, bytes);
}

INTERPOSED void *pvalloc(size_t bytes)
{
    if (!real_known()) {
        return bootstrap_allocate(bytes, 4096);
    }
    void *block = real.pvalloc(bytes);
    return ALLOCATED(block, (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1));
}

/* Takes the object out of the map before its memory can be somebody else's; `ends`: for good. False when it is none. */
static HOT_PATH bool note_death(void *block, size_t usable_bytes, struct object *object, bool ends)
{
    int *errno_place = gate_errno();
    int kept_errno = *errno_place;
    bool was_object = false;
    if (gate_enter()) {
        chores_poll();
        was_object = object_map_take((uintptr_t)block, usable_bytes, object);
        if (was_object && ends) {
            replica_ended(object, object->start);
        }
        gate_leave();
    }
    *errno_place = kept_errno;
    return was_object;
}

INTERPOSED void free(void *block)
{
    if (block == NULL || bootstrap_owns(block) || !real_known()) {
        return;
    }
    size_t usable_bytes = real.malloc_usable_size(block);
    if (__builtin_expect(usable_bytes >= OBJECT_MIN_BYTES, 0)) {
        struct object object;
        note_death(block, usable_bytes, &object, true);
    }
    real.free(block);
}

INTERPOSED void free_sized(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}

INTERPOSED void free_aligned_sized(void *block, size_t alignment, size_t bytes)
{
    (void)alignment, (void)bytes;
    free(block);
}

/* A block of the bootstrap arena moves to the real allocator; its own size is not kept, more is copied than needed. */
static void *bootstrap_leave(const void *block, size_t bytes)
{
    void *fresh = real_known() ? real.malloc(bytes) : bootstrap_allocate(bytes, 0);
    if (fresh != NULL) {
        size_t readable = bootstrap_readable(block);
        memmove(fresh, block, bytes < readable ? bytes : readable);
    }
    return fresh;
}

/*
 * What became of the object: the same one where realloc failed; else its content ended here, as the start of a new object,
 * which keeps the serial where it kept its place.
 */
static void note_resize(void *after, struct object *object, const struct request *request)
{
    int *errno_place = gate_errno();
    int kept_errno = *errno_place;
    bool failed = after == NULL && request->bytes != 0;
    if (gate_enter()) {
        size_t bytes = failed ? object->size_bytes : after != NULL ? real.malloc_usable_size(after) : 0;
        bool in_place = (uintptr_t)after == object->start;
        if (failed && !object_map_restore(object)) {
            replica_lost(object);
        }
        if (!failed) {
            replica_ended(object, bytes >= object->size_bytes ? (uintptr_t)after : 0);
        }
        if (in_place && request->bytes >= config.object_min_bytes) {
            object->size_bytes = bytes;
            note_origin(object, request);
            if (!object_map_restore(object)) {
                replica_lost(object);
            }
        } else if (!failed && !in_place && after != NULL && request->bytes >= OBJECT_MIN_BYTES) {
            note_birth(after, request);
        }
        gate_leave();
    }
    *errno_place = kept_errno;
}

static __attribute__((noinline)) void *resize(void *block, size_t bytes, const void *caller)
{
    struct object object;
    size_t usable_bytes = real.malloc_usable_size(block);
    bool was_object = usable_bytes >= OBJECT_MIN_BYTES && note_death(block, usable_bytes, &object, false);
    void *after = real.realloc(block, bytes);
    if (was_object) {
        note_resize(
            after, &object,
            &(struct request){
                .bytes = bytes, .caller = caller, .frame = (uintptr_t)__builtin_frame_address(0), .resized = true});
    } else if (after != NULL && (bytes >= OBJECT_MIN_BYTES || !quiet())) {
        allocated(after, bytes, caller, false);
    }
    return after;
}

INTERPOSED void *realloc(void *block, size_t bytes)
{
    if (block == NULL) {
        void *fresh = real_known() ? real.malloc(bytes) : bootstrap_allocate(bytes, 0);
        return ALLOCATED(fresh, bytes);
    }
    if (bootstrap_owns(block)) {
        return bootstrap_leave(block, bytes);
    }
    return real_known() ? resize(block, bytes, __builtin_return_address(0)) : NULL;
}

extern __typeof__(realloc) own_realloc __attribute__((alias("realloc"), copy(realloc), visibility("hidden")));

INTERPOSED void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    /* Of an allocator before us that has none of its own, this is the reallocarray: as libc's does, it asks their realloc. */
    if (block == NULL || bootstrap_owns(block) || !real_known() || &realloc != own_realloc) {
        return realloc(block, bytes);
    }
    return resize(block, bytes, __builtin_return_address(0));
}
