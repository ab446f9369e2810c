/*
 * What is alive, and for how long: the live bytes of all objects that the replica engine met, their curve and its peak, what
 * stood at the peak by site, and the lifetimes of a site's objects. Counted at births and deaths, in bytes as requested.
 * Objects below DB_LIVE_SMALL_BYTES are one sum; each thread adds its part when it has come to LIFETIME_PENDING_BYTES.
 */
#ifndef PIEPROF_PRELOAD_LIFETIME_H
#define PIEPROF_PRELOAD_LIFETIME_H

#include "gate.h"
#include "objects/object_map.h"
#include "pieprof/db.h"
#include "thread.h"

#define LIFETIME_TICK_BITS                                                                                             \
    20u /* lifetimes are kept in units of 2^20 ns: the coarse clock moves every few milliseconds */

/* Now, in these, since the process began recording; comparable with object_origin.born_tick. Signal-safe. */
uint32_t lifetime_tick(void);

/* A forked child counts its own objects only, from nothing. */
void lifetime_reset_child(void);

/* What the calling thread has not told yet. When it ends, and at the end of the process. */
void lifetime_flush(void);

/* Of DB_LIVE_SMALL_BYTES and more. */
void lifetime_born_large(struct db_site *site, size_t requested_bytes, struct object_origin *origin);
void lifetime_ended_large(struct db_site *site, size_t requested_bytes, const struct object_origin *origin);

#define LIFETIME_PENDING_BYTES 65536
extern SHIM_THREAD_LOCAL int64_t lifetime_pending; /* bytes of small objects that came (went) on this thread */

/* A thread that is not set up, or ends, may have no later occasion to tell. */
static inline void lifetime_count_small(int64_t bytes)
{
    int64_t sum = lifetime_pending += bytes;
    if (__builtin_expect(sum >= LIFETIME_PENDING_BYTES || sum <= -LIFETIME_PENDING_BYTES || thread_self == NULL, 0)) {
        lifetime_flush();
    }
}

/* `site`: its record, where this birth is counted already; NULL: it has none. Behind the gate; takes no lock, and waits for
 * nobody. Notes in the origin what lifetime_ended() needs. */
static inline void lifetime_born(struct db_site *site, size_t requested_bytes, struct object_origin *origin)
{
    origin->is_counted = true;
    if (requested_bytes < DB_LIVE_SMALL_BYTES) {
        lifetime_count_small((int64_t)requested_bytes);
    } else {
        lifetime_born_large(site, requested_bytes, origin);
    }
}

/* As it was asked for. */
static inline size_t lifetime_bytes(const struct object *object)
{
    return object->size_bytes - object->origin.slack_bytes;
}

/* The end of an object that lifetime_born() counted in this very process. */
static inline void lifetime_ended(struct db_site *site, const struct object *object)
{
    size_t requested_bytes = lifetime_bytes(object);
    if (requested_bytes < DB_LIVE_SMALL_BYTES) {
        lifetime_count_small(-(int64_t)requested_bytes);
    } else {
        lifetime_ended_large(site, requested_bytes, &object->origin);
    }
}

/* The process's record; NULL where there is no room for one. Behind the gate. */
struct db_live *lifetime_record(void);

/* The end of the process: what stands at the peak is noted, if that is now. */
void lifetime_finish(void);

#endif
