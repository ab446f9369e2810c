/*
 * The replica engine: from an object's birth at its site to its end, where its content is compared with that of earlier
 * objects. What it records is exact and repeatable: nothing is decided by addresses, time or samples.
 */
#ifndef PIEPROF_PRELOAD_REPLICA_H
#define PIEPROF_PRELOAD_REPLICA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate.h"
#include "objects/object_map.h"

bool replica_start(void);
void replica_reset_child(void);

struct replica_birth {
    uintptr_t start;
    size_t size_bytes;   /* as requested */
    size_t usable_bytes; /* as the object map will have it */
    uint64_t place;      /* tells one native caller from another within one native call */
    bool is_mapped;      /* by who uses it, as libraries do for buffers to work in */
    bool is_defined;     /* its content, from the start: the allocator zeroed it, or carried it over */
};

/* Fills in the origin of a new object; no site where the thread has no Python frames (counted). Behind the gate, outside
 * handlers. */
void replica_born(const struct replica_birth *birth, struct object_origin *origin);
/* It could not be filed: its end will not be seen. */
void replica_lost(const struct object *object);

/*
 * The end of an object that object_map_take() gave: its content still stands, all of it, at `start` (another place than
 * its own when realloc has moved it); 0: nowhere any more. Behind the gate, outside handlers.
 */
void replica_ended(const struct object *object, uintptr_t start);

/*
 * Something else is about to be stored over the content of a living object that object_map_take() gave: what would be asked
 * at its end is asked now, and then no more. But not of a constant one, which says as much or as little at its end. Behind
 * the gate, outside handlers, on a thread that is set up.
 */
void replica_overwritten(struct object *object);

/*
 * Where the thread's last allocated buffer of REPLICA_OVERWRITTEN_BYTES or more starts; 0: none. It may have ended since.
 */
#define REPLICA_OVERWRITTEN_BYTES 262144u /* smaller operands NumPy leaves alone (NPY_MIN_ELIDE_BYTES) */
extern SHIM_THREAD_LOCAL uintptr_t replica_overwritable;

/* At the end of the process: what still lives is examined, in the order of birth. */
void replica_finish(void);

/* The id of the record of its site; 0: none in this very process. Signal-safe. */
uint32_t replica_site(const struct object_origin *origin);

#endif
