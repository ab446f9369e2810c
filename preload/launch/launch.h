/*
 * For whom a thread without Python works: the Python frames that launched it.
 *
 * Parallel regions (OpenMP). A thread that launches one notes its innermost Python frame and a new, odd epoch, and an even one
 * when all workers are through. A tick on a worker walks the launcher's frames from there: they stand in a native call and can
 * neither end nor move before the region's end, so a walk that began and ended within one epoch read what is true. Python
 * that a region calls back into lies inside the noted frame and is never looked at.
 * A worker of GNU's runtime belongs to the thread that created it, for its life (libgomp/team.c: each launching thread has a
 * pool of its own). LLVM's and Intel's have one pool for all launchers: at the head of what a worker does for a region it notes
 * that region's launcher and epoch, which hold until the region's end (it may run tasks behind that work).
 *
 * Other threads that native code created belong to the Python line that created them as long as that stands at the same
 * instruction: std::thread started and joined within one native call, for instance.
 *
 * OpenBLAS's workers serve whoever calls, and nobody tells who that is: adopt.h.
 */
#ifndef PIEPROF_PRELOAD_LAUNCH_H
#define PIEPROF_PRELOAD_LAUNCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stack/python.h"

struct thread;
struct context_scratch;

enum launch_runtime { LAUNCH_NONE = 0, LAUNCH_GNU = 1, LAUNCH_LLVM = 2 };

/* What a thread has launched: written by itself, read by handlers on other threads. Zeroed memory: nothing. */
struct launch {
    _Atomic uint32_t epoch;   /* odd while it is in a region */
    _Atomic uint32_t runtime; /* enum launch_runtime, of the region */
    _Atomic uintptr_t frame;  /* its innermost Python frame when the region began; 0: it has none */
    _Atomic bool noted;       /* its workers note that they serve it: no other one does */
    _Atomic uint64_t known;   /* epoch << 32 | node of that frame's context, once a worker asked */
};

/* A region as its workers are told of it. */
struct launch_work {
    struct thread *launcher;
    uint32_t serial; /* of the launcher: it lives while its own is this */
    uint32_t epoch;
};

/* The region that a worker noted last: over when the launcher's epoch is another. Zeroed memory: none. */
struct launch_service {
    _Atomic uint32_t epoch; /* 0 while the others change */
    _Atomic uint32_t serial;
    struct thread *_Atomic launcher;
};

/* Where a thread comes from. Zeroed memory: it is not known. */
struct launch_origin {
    struct thread *creator;
    uint32_t creator_serial; /* the creator lives while its own is this */
    uint32_t runtime;        /* enum launch_runtime: created in a region, to work in it and those to come */
    void *(*routine)(void *);
    uint32_t node; /* context that created it, 0 when that was in a region or had no Python */
    uintptr_t state;
    struct python_top top;
};

/*
 * Around a call that runs a region on several threads. The first returns what the second is to be given: NULL where nothing is
 * to be noted (the shim is off, or the thread is in a region already). Outside handlers; some ten ns.
 */
struct launch *launch_begin(enum launch_runtime runtime);
void launch_end(struct launch *launch);

/*
 * Within the region, on its launcher: writes what each of its workers is to give to launch_serve(). False: nothing is to be noted.
 * Outside handlers; some ns.
 */
bool launch_work_note(struct launch_work *work);
void launch_serve(const struct launch_work *work);

/* The calling thread is about to create one that will run `routine`. Behind the gate, outside handlers. */
void launch_origin_take(struct launch_origin *origin, void *(*routine)(void *));

/* A worker whose launcher is in no region: it waits for work, and how it does so is of no interest. Signal-safe. */
bool launch_waits(const struct thread *thread);

/* The region that a worker works in, a number that no other of its launcher has; 0: in none, or no worker. Signal-safe. */
uint32_t launch_region(const struct thread *thread);

/*
 * For the calling thread, which has no Python state, its native frames captured in `scratch`: sets scratch->launched to the
 * node of the context it works for, 0 when nobody is known; scratch->pooled; scratch->waits where it can be told that nobody has work. Signal-safe.
 */
void launch_find(const struct thread *thread, struct context_scratch *scratch);

#endif
