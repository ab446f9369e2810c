/*
 * The function that an interposed one stands in front of, for a program that holds several of its name: each wheel brings its
 * own copy of libgomp, and a caller whose other OpenMP symbols are bound to one copy must not run its regions in another
 * (it would ask the first which thread it is). dlsym(RTLD_NEXT) knows no caller.
 */
#ifndef PIEPROF_PRELOAD_CALLER_REAL_H
#define PIEPROF_PRELOAD_CALLER_REAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CALLER_REAL_MODULES 32u

/* What callers got so far, by the module they lie in. Zeroed memory is empty. */
struct caller_real {
    const char *name;
    struct caller_real_entry {
        atomic_uint sequence; /* 0: never filled; odd while being written */
        unsigned age;         /* caller_real_forget() calls before */
        uintptr_t low, high;
        void *function;
    } known[CALLER_REAL_MODULES];
    atomic_uint claimed;
};

/*
 * The function called `real->name` that code at `caller` would have got without the shim. Where there is none the process ends
 * as it would have (status 127 and the name). Looked up at a module's first call: locks and may allocate; then a few compares.
 * Not in handlers.
 */
void *caller_real_find(struct caller_real *real, void *caller);

/* Libraries may have been unloaded: what was found before does not hold any more. Any time but in handlers. */
void caller_real_forget(void);

/* Lies `address` in a library that some caller was passed on to? Signal-safe. */
bool caller_real_is_runtime(uintptr_t address);

#endif
