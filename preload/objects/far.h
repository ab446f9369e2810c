/*
 * The far histories of sites (far_history.h): large objects at their end against all earlier ones of their site, whatever
 * the distance and the order. Those that the near history (history.h) says all of are left to it. Counted in db_site.far_...
 */
#ifndef PIEPROF_PRELOAD_FAR_H
#define PIEPROF_PRELOAD_FAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/object_map.h"
#include "objects/sites.h"

bool far_start(void);
void far_reset_child(void);

/* Is the object of that size and birth to be asked at its end? */
bool far_wants(const struct site *site, size_t size_bytes, uint32_t birth);

/* May the content at `start` be one that is kept? `selector` is then what far_meet() needs. Reads a few lines of it, behind
 * the fault guard. Outside handlers, no lock. */
bool far_selects(const struct site *site, uintptr_t start, uint32_t *selector);

/* The end of an object that far_selects() took and that is no workspace: its content stands at `start`. Outside handlers. */
void far_meet(struct site *site, const struct object *object, uintptr_t start, uint32_t selector);

#endif
