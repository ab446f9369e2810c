/*
 * Reading memory that may not be there, in handlers and out of them: a copy loop whose faulting instruction the
 * SIGSEGV/SIGBUS handler recognises by its address and steps past. No setjmp, no system call, no state; but where the thread
 * blocks these signals the kernel copies.
 */
#ifndef PIEPROF_PRELOAD_GUARD_H
#define PIEPROF_PRELOAD_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* Copies `bytes`; false when any byte could not be read (the rest of `to` is then unspecified). Signal-safe. */
bool guard_copy(void *to, const void *from, size_t bytes);

/* One word at `address`: the cheap form of guard_copy for stack words and pointers. Signal-safe. */
bool guard_word(uintptr_t *to, uintptr_t address);

/*
 * Follows a chain of structs in memory by the word at `next` (0 ends it), and writes three words for each: its address, the
 * words at `left` and at `right`. Structs whose byte at `kind` is `kind_skipped` or more are passed over. The first one is
 * what `holder` points to at `heads[0]`; with two heads, what that points to at `heads[1]`.
 * Returns how many were written, `capacity` at most; 0 when one could not be read or points to itself. Signal-safe.
 */
struct guard_chain_layout {
    uint64_t left, right, next, kind; /* offsets in bytes */
    uint32_t kind_skipped;
    uint32_t head_count; /* 1 or 2 */
    uint64_t heads[2];   /* offsets in bytes */
};
size_t guard_chain(uintptr_t *to, uintptr_t holder, const struct guard_chain_layout *layout, size_t capacity);

/* For the fault handlers: true when the fault was a guarded read's, `context` then continues at its failure exit. */
bool guard_recover(ucontext_t *context);

#define guard_read(to, from) guard_copy((to), (from), sizeof *(to))

#endif
