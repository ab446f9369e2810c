/* The debug registers of one thread, as perf events with sigtrap: armed, disarmed, and asked which of them were hit. */
#ifndef PIEPROF_PRELOAD_ACCESS_WATCH_H
#define PIEPROF_PRELOAD_ACCESS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum watch_kind {
    WATCH_OFF,
    WATCH_ACCESS,  /* loads and stores: x86 has no watch for loads alone */
    WATCH_WRITE,   /* stores alone */
    WATCH_EXECUTE, /* before the instruction runs */
};

struct watch_register {
    int descriptor; /* -1: not there */
    enum watch_kind kind;
    uintptr_t address;
    uint32_t size_bytes;
    uint64_t hits; /* the event's count when last read */
    bool stopped;  /* its hit came from a handler (watch_register_stop), and has not been dealt with */
};

/* Opens a disarmed register for the calling thread. False and errno when none can be had. Outside handlers. */
bool watch_register_open(struct watch_register *reg);
/* Disarms before it closes: a forked child may still hold the descriptor, and with it the register. */
void watch_register_close(struct watch_register *reg);
/* In a forked child: the event is the parent's. */
void watch_register_forget(struct watch_register *reg);

/* Signal-safe; false when the kernel refuses. Accesses: 1, 2, 4 or 8 aligned bytes; execution: `size_bytes` is not used. */
bool watch_register_arm(struct watch_register *reg, enum watch_kind kind, uintptr_t address, uint32_t size_bytes);
void watch_register_disarm(struct watch_register *reg);
/* Was it hit since the last question? SIGTRAP does not queue, so at any trap all registers are asked. Signal-safe. */
bool watch_register_was_hit(struct watch_register *reg);
/*
 * Disarms it in the kernel alone, where it was hit since the last question: whoever holds the gate may be about to ask it or to disarm
 * it, and finds it as it was. The hit stays to be asked for. Signal-safe, also in a handler that the gate refused.
 */
void watch_register_stop(struct watch_register *reg);

/*
 * Chooses the bytes of [address, +size_bytes) to watch: the largest aligned 1, 2, 4 or 8 of them; where there are several
 * such places, `random` picks one. Returns their number and `*start`.
 */
uint32_t watch_choose_bytes(uintptr_t address, uint32_t size_bytes, uint32_t random, uintptr_t *start);

/* What to watch of an access, and the value to compare: registers watch aligned bytes alone, a value lies where it lies. */
struct watch_place {
    uintptr_t address, value_address;
    uint32_t size_bytes, value_bytes;
};

/*
 * Chooses the bytes to watch and the value to compare. The value is the access itself up to 8 bytes; of a larger one the
 * aligned bytes that are watched, or one whole element of `element_bytes` (0: not known) where elements lie unaligned.
 */
void watch_choose_place(uintptr_t address, uint32_t size_bytes, uint32_t element_bytes, uint32_t random,
                        struct watch_place *place);

/* The calling thread's registers, for watch_read_memory; NULL with count 0 when it has none. */
void watch_set_current(struct watch_register *registers, size_t count);

/*
 * Copies memory that may not be there, and around the thread's own armed watches, which would trap on our load: those bytes are
 * read by the kernel, whose accesses do not trap. Signal-safe.
 */
bool watch_read_memory(void *to, uintptr_t from, size_t bytes);

#endif
