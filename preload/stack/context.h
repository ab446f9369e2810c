/* The mixed calling context: Python and native frames merged, interned as a path of nodes in the ledger. */
#ifndef PIEPROF_PRELOAD_CONTEXT_H
#define PIEPROF_PRELOAD_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "pieprof/db.h"
#include "stack/native.h"
#include "stack/python.h"

#define CONTEXT_PATH_MAX (PYTHON_DEPTH_MAX + NATIVE_DEPTH_MAX)

/* The path interned last, root first: the next one mostly begins like it. Zeroed memory is an empty one. */
struct context_path {
    uint32_t count;
    uint32_t epoch; /* paths from before a fork name the parent's nodes */
    struct context_step {
        uint64_t value;
        uint32_t frame, node;
    } steps[CONTEXT_PATH_MAX];
};

/* A captured stack: large, so it lives in the thread, not on the interrupted stack. */
struct context_scratch {
    struct python_frame python[PYTHON_DEPTH_MAX];
    struct native_frame native[NATIVE_DEPTH_MAX];
    size_t python_count, native_count;
    bool has_python_state, native_complete, python_truncated;
    uint32_t
        launched; /* without a Python state: node of the context that this thread works for, 0 when none is known */
    bool waits;   /* it waits for work */
    bool pooled;  /* it is one of a pool, which lives on after this work */
    struct native_memory native_memory;
    struct context_path path;
};

bool context_start(void);
void context_reset_child(void);

/*
 * Walks and unwinds into `scratch`; counts what was missing (no state, fault, truncated, partial). Of a worker that waits for
 * work only the leaf is taken. Signal-safe.
 */
void context_capture(const ucontext_t *uc, struct context_scratch *scratch);

/*
 * Interns the merged path and returns its leaf's node id. Where the file or a table is full (counted), the deepest frame
 * that could be interned stands for the rest, so that no time is lost. `access_address` other than 0 replaces the leaf
 * instruction by that of the access, as a DB_FRAME_ACCESS node: 0 when that fails, for an access without its place is
 * none. Signal-safe.
 */
uint32_t context_intern(struct context_scratch *scratch, uintptr_t access_address);

/*
 * Interns the Python frames from `frame` outwards, of whatever thread (python_walk_from()), below a root of their own: the
 * context that others work for. Overwrites scratch->python. 0 when they could not be read, or there is no room. Signal-safe.
 */
uint32_t context_intern_frames(struct context_scratch *scratch, enum db_root root, uintptr_t frame);

#endif
