/*
 * All that the access engine knows of a processor: decoding, registers, trap quirks. x86-64 is machine_x86_64.c;
 * another processor is another file.
 */
#ifndef PIEPROF_PRELOAD_MACHINE_H
#define PIEPROF_PRELOAD_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* One memory access an instruction makes. */
struct machine_access {
    uintptr_t instruction;   /* its address */
    uintptr_t address;       /* first byte touched */
    uint32_t size_bytes;
    bool load, store;        /* both for read-modify-write */
};

enum machine_find_result {
    MACHINE_FOUND,        /* `access` is the next access of the wanted kind, address known now */
    MACHINE_NEEDS_BREAK,  /* execution must get to `break_at` first; then ask again from there */
    MACHINE_LEFT_NATIVE,  /* the path leads back into the interpreter before such an access */
    MACHINE_UNDECODED, MACHINE_UNREADABLE, MACHINE_TOO_LONG, MACHINE_INDIRECT, MACHINE_UNKNOWN_ADDRESS,
};

struct machine_find {
    struct machine_access access;
    uintptr_t break_at;
};

#define MACHINE_WATCHES 4u

bool machine_start(char *why_off, size_t bytes); /* opens the decoder; outside handlers */

/*
 * From the interrupted state, decodes forward to the next load (or store) outside the stack that will really touch
 * memory: not NOPs, prefetches, LEA. Masked and gathered forms yield the first element they access. Signal-safe.
 */
enum machine_find_result machine_find_access(const ucontext_t *uc, bool want_store, struct machine_find *find);

/*
 * What the instruction that ran just before the trap did to [address, address + size_bytes): load, store, both. `known_start`
 * is a known instruction boundary at or before it (function start), 0 when none. False: cannot tell. Signal-safe.
 */
bool machine_explain_trap(const ucontext_t *uc, uintptr_t known_start, uintptr_t address, uint32_t size_bytes,
                          struct machine_access *access);

#endif
