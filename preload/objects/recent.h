/*
 * The digests of recent objects of all sites: equal ones of different sites are the same call made elsewhere (their
 * native functions are one), or a copy and its source. Counted in the ledger: db_link, db_site.copies.
 */
#ifndef PIEPROF_PRELOAD_RECENT_H
#define PIEPROF_PRELOAD_RECENT_H

#include <stdbool.h>
#include <stdint.h>

struct recent_object {
    uint64_t digest;
    uint64_t birth; /* serials of the object map: an object is alive from its own up to its `death` */
    uint64_t death;
    uint32_t site;   /* number */
    uint32_t proof;  /* of the whole content; 0: not made */
    bool is_whole;   /* the digest is of the whole content, else of a sample */
    bool is_counted; /* as a replica of its own site; then as copy, or as second of a link */
    bool is_awaited; /* others of its site were made again elsewhere: it is remembered for longer */
};

bool recent_start(void);
void recent_reset_child(void);

/* At the end of an examined object whose content is not constant. Outside handlers. */
void recent_meet(const struct recent_object *object);

#endif
