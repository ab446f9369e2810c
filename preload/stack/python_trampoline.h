/*
 * From 3.13 on CPython calls a class by way of a frame of its own between the caller's and that of __init__ (_Py_InitCleanup in
 * Python/specialize.c), once the call is specialised: the same call looks different from then on. Tracebacks leave it out, and so
 * do the walks here. Signal-safe but for the start.
 */
#ifndef PIEPROF_PRELOAD_PYTHON_TRAMPOLINE_H
#define PIEPROF_PRELOAD_PYTHON_TRAMPOLINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern _Atomic uintptr_t python_trampoline_code;

/* Looks for its symbol, which interpreters have from 3.14 on. */
void python_trampoline_start(void);

/* A code object as it is recorded: is it this one? 3.13 has no symbol of it. */
void python_trampoline_meet(uint32_t version, uintptr_t code, int32_t first_line, const char *name, size_t name_bytes,
                            size_t lines_bytes);

/* Address of its code object; 0 while it is not known. */
static inline uintptr_t python_trampoline(void)
{
    return atomic_load_explicit(&python_trampoline_code, memory_order_relaxed);
}

#endif
