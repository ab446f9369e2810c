/*
 * Operands that NumPy is about to store over. In `x + mask(n)` nobody else refers to what mask() returned, so from 256 KiB
 * on the sum is made in its buffer: freed, it holds the sum, and a mask that is built again each time would equal nothing. A
 * moment before that, NumPy asks who called it, by backtrace() (its temp_elide.c). What stands in the operands then is what
 * their lines made, and it is compared now and not at their end.
 *
 * Taken is the thread's last large buffer, where the native stack has an array of it that one reference holds: what was born
 * there before may have a name that its last reference is from, and a stale word on the stack, and be half filled yet. And what
 * waits before it among the values of the Python frame, as the product in `X.T @ X + lam * np.eye(n)`, which the sum is
 * made in: no word there is stale below one that is in use.
 */
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gate.h"
#include "objects/object_map.h"
#include "objects/replica.h"
#include "real.h"
#include "stack/guard.h"
#include "stack/python.h"
#include "thread.h"

#define SCANNED_BYTES 512u /* of the callers' frames; operands were seen within the first 64 */
#define SAVED_BYTES 64u    /* of registers, below the hook's own frame */
/* Where Linux puts what is mapped, and what CPython's allocator holds objects in: other words are numbers, and to find out by
 * reading there costs a fault each. */
#define MAPPED_FROM ((uintptr_t)1 << 46)
#define MAPPED_TO ((uintptr_t)1 << 48)
#define ALIGNMENT 16u      /* of CPython's objects */
#define VALUES_SCANNED 64u /* of a Python frame: as deep as expressions go */
#define OWN_FRAMES 2       /* of this library that may stand before the caller's */
#define FRAMES_MAX 128

/* An array, as CPython and NumPy lay it out (object.h; PyArrayObject_fields in ndarraytypes.h); free-threaded builds have another. */
struct array {
    uint64_t references;
    uintptr_t type, data;
    int32_t dimension_count;
    uintptr_t dimensions, strides, base, element;
    int32_t flags;
};
#define DIMENSIONS_MAX 64
#define OWNS_DATA 4 /* NPY_ARRAY_OWNDATA */

/* Would NumPy work in it? The rest of what it asks needs no answer here. */
static bool is_elidable(const struct array *array)
{
    return array->references == 1 && array->base == 0 && (array->flags & OWNS_DATA) != 0 &&
           array->dimension_count >= 0 && array->dimension_count <= DIMENSIONS_MAX;
}

/* Where the array that the word is the address of has its data, if NumPy would work in it; 0: it is none of these. */
static uintptr_t data_of(uintptr_t word)
{
    struct array array;
    bool is_array = word >= MAPPED_FROM && word < MAPPED_TO && word % ALIGNMENT == 0 &&
                    guard_read(&array, (const void *)word) && is_elidable(&array);
    return is_array ? array.data : 0;
}

/* The address of the array that has its data there; 0: none is on the native stack. */
static uintptr_t find_array(uintptr_t frame, uintptr_t data)
{
    uintptr_t word;
    for (uintptr_t at = frame - SAVED_BYTES; at < frame + SCANNED_BYTES && guard_word(&word, at); at += sizeof word) {
        if (data_of(word) == data) {
            return word;
        }
    }
    return 0;
}

/* What stands before an array among the values of the innermost Python frame; 0: nothing. */
static uintptr_t find_before(uintptr_t array)
{
    struct python_link link;
    uintptr_t at = python_links(&link, 1) == 1 ? python_link_values(&link) : 0, before = 0, word = 0;
    for (size_t i = 0; at != 0 && i < VALUES_SCANNED && guard_word(&word, at); i++, at += sizeof word) {
        if (word == array) {
            return before;
        }
        before = word;
    }
    return 0;
}

static void take(uintptr_t start)
{
    struct object object;
    if (!object_map_find(start, &object) || object.start != start || object.size_bytes < REPLICA_OVERWRITTEN_BYTES ||
        !object_map_take(start, object.size_bytes, &object)) {
        return;
    }
    replica_overwritten(&object);
    if (!object_map_restore(&object)) {
        replica_lost(&object);
    }
}

static __attribute__((noinline)) void look_at_operands(uintptr_t frame)
{
    int *errno_place = gate_errno();
    int kept_errno = *errno_place;
    if (gate_enter()) {
        uintptr_t array = thread_self != NULL ? find_array(frame, replica_overwritable) : 0;
        uintptr_t before = array != 0 ? data_of(find_before(array)) : 0;
        if (before != 0) {
            take(before);
        }
        if (array != 0) {
            take(replica_overwritable); /* it is the next operation's, too, as what `lam * np.eye(n)` is made in */
        }
        gate_leave();
    }
    *errno_place = kept_errno;
}

/* Without this library's own frames: NumPy works in place only where it knows all callers. */
static int without_own(void **frames, int count, const void *caller)
{
    int own = 0;
    while (own < count && own < OWN_FRAMES && frames[own] != caller) {
        own++;
    }
    if (own == count || frames[own] != caller) {
        return count;
    }
    memmove(frames, frames + own, (size_t)(count - own) * sizeof *frames);
    return count - own;
}

/* Of a stack that is deeper than what was asked for, and that more than FRAMES_MAX were asked of, one frame less is told. */
INTERPOSED int backtrace(void **frames, int size)
{
    __builtin_unwind_init(); /* what the callers hold in registers comes onto the stack */
    if (replica_overwritable != 0) {
        look_at_operands((uintptr_t)__builtin_frame_address(0));
    }
    void *more[FRAMES_MAX + 1];
    if (REAL(backtrace) == NULL || size <= 0) {
        return 0;
    }
    if (size > FRAMES_MAX) {
        return without_own(frames, REAL(backtrace)(frames, size), __builtin_return_address(0));
    }
    int count = without_own(more, REAL(backtrace)(more, size + 1), __builtin_return_address(0));
    count = count < size ? count : size;
    memcpy(frames, more, (size_t)count * sizeof *frames);
    return count;
}
