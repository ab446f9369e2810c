/*
 * All that the access engine knows of a processor: decoding, registers, trap quirks. x86-64 is machine_x86_*.c;
 * another processor is another set of files.
 */
#ifndef PIEPROF_PRELOAD_MACHINE_H
#define PIEPROF_PRELOAD_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* One memory access an instruction makes. */
struct machine_access {
    uintptr_t instruction; /* its address */
    uintptr_t address;     /* first byte touched; 0 from machine_explain_trap when it cannot be told any more */
    uint32_t size_bytes;
    uint32_t element_bytes; /* of a vector's elements, 0 where not known */
    uint32_t float_bytes;  /* 4 or 8 where the instruction takes them for floating-point numbers of that size, 0 else */
    bool load, store;      /* both for read-modify-write */
    uint64_t repeats_left; /* of a repeated string instruction: it may trap again for the same bytes, with fewer left */
    bool unfinished;       /* it has stored some of the watched bytes and will store the others */
};

enum machine_find_result {
    MACHINE_FOUND,       /* `access` is the next access of the wanted kind, address known now */
    MACHINE_NEEDS_BREAK, /* execution must get to `break_at` first; then ask again from there */
    MACHINE_LEFT_NATIVE, /* the path leads back into the interpreter before such an access */
    MACHINE_UNDECODED,
    MACHINE_UNREADABLE,
    MACHINE_TOO_LONG,
    MACHINE_INDIRECT,
    MACHINE_UNKNOWN_ADDRESS,
};

#define MACHINE_SPANS_MAX 48u

#define MACHINE_ONE 16u /* of `sixteenths` */

/* Bytes that an access on the path touches. */
struct machine_span {
    uintptr_t address;
    uint32_t size_bytes;
};

/* Which of the accesses ahead is looked for. */
struct machine_choice {
    bool store;        /* the wanted kind */
    uint32_t window;   /* instructions ahead: of the accesses among them one is taken at random; 0: the first */
    uint32_t farthest; /* instructions ahead that are looked at where the window holds none; 0: as far as is sensible */
    uint32_t random;
};

struct machine_find {
    struct machine_access access;
    uint32_t sixteenths; /* 16 / the chance that led here; of an access, 1 when none lies in the window */
    unsigned before;     /* of `touched`: accesses of either kind on the path before this one */
    struct machine_span touched[MACHINE_SPANS_MAX];
    uintptr_t break_at;
    uintptr_t break_stack_pointer; /* the stack pointer there, 0 when not known: tells a recursion's hit from ours */
    bool left_frame;               /* the path crossed a call or a return: the captured stack is not the access's */
    unsigned instructions;         /* walked */
};

#define MACHINE_WATCHES 4u
#define MACHINE_WATCH_BYTES 8u

bool machine_start(char *why_off, size_t bytes); /* opens the decoder; outside handlers */

/*
 * The calling thread will ask below, or no more: in between it remembers what it decoded, in some 400 KiB at most. Signal-safe, by system
 * calls alone; also in a forked child.
 */
void machine_thread_begin(void);
void machine_thread_end(void);

/*
 * From the interrupted state, walks the path that the thread will take to the next load (or store) outside the stack that
 * will really touch memory: not NOPs, prefetches, LEA; not a module's own constants, the linkage table or
 * thread-local data, which are never an object's. General registers, flags and the path's own stores are computed
 * along the way, so branches, calls and returns are followed. Masked forms, gathers and scatters yield the first elements
 * they access. Where a break cuts the window, chance decides, by the lengths of the parts, whether an access before it is taken
 * or MACHINE_NEEDS_BREAK returned; what is left of the window is `choice->window - find->instructions`.
 * Signal-safe.
 */
enum machine_find_result machine_find_access(const ucontext_t *uc, const struct machine_choice *choice,
                                             struct machine_find *find);

/*
 * What the instruction that ran just before the trap did to [address, address + size_bytes): load, store, both.
 * `known_start` is a known instruction boundary at or before it (function start), 0 when none. False: cannot tell.
 * Signal-safe.
 */
bool machine_explain_trap(const ucontext_t *uc, uintptr_t known_start, uintptr_t address, uint32_t size_bytes,
                          struct machine_access *access);

/* What `instruction` did there, if it is the one that trapped: cheaper and certain. False when it cannot be it. */
bool machine_trap_is_of(const ucontext_t *uc, uintptr_t instruction, uintptr_t address, uint32_t size_bytes,
                        struct machine_access *access);

/* Is the interrupted instruction one of those that fill or copy a whole block (REP STOS, REP MOVS)? Signal-safe. */
bool machine_in_string_operation(const ucontext_t *uc);

/*
 * Does the function whose instruction this is only return from here on, with no branch, call, or access but to its frame? False where
 * nothing is decoded. Signal-safe.
 */
bool machine_is_returning(uintptr_t instruction);

/*
 * Does it stand at a stub that goes on to another library's function, by an address of its module's table (the procedure linkage table of
 * the System V ABI)? What stands there has called the other, and does nothing itself. False where nothing is decoded. Signal-safe.
 */
bool machine_is_stub(uintptr_t instruction);

/* Is a system call about to start, or to start again: which? Code is read, guarded. */
struct machine_call {
    long number, second; /* argument */
};
bool machine_call_starts_again(const ucontext_t *uc, struct machine_call *call);

/* Of one that is: it fails with EINTR instead. */
void machine_call_fail(ucontext_t *uc);

uintptr_t machine_instruction_pointer(const ucontext_t *uc);
uintptr_t machine_stack_pointer(const ucontext_t *uc);

#endif
