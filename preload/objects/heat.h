/*
 * Which objects are accessed, and when in their lives: from the accesses that the access engine finds. What was sampled of an
 * object waits until its end, for only then it is known in which part of its life an access lay.
 */
#ifndef PIEPROF_PRELOAD_HEAT_H
#define PIEPROF_PRELOAD_HEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/object_map.h"

bool heat_start(void);
void heat_reset_child(void);

/* An access to this address was sampled: counted for the object that holds it, if that has a site. Signal-safe. */
void heat_note(uintptr_t address);

/*
 * The end of an object of DB_LIVE_SMALL_BYTES and more, `now_tick` by lifetime_tick(); `site`: the id of its record. Outside
 * handlers; takes no lock that a handler waits for.
 */
void heat_ended(uint32_t site, const struct object *object, uint32_t now_tick);

/* The record's id of a site's heat, made where there is none; 0: no room. Signal-safe. For tests too. */
uint32_t heat_record(uint32_t site);

#endif
