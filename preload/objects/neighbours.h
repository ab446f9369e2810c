/*
 * Objects that share a page, and which of them are accessed: where hot and cold ones lie on one page, the cold ones take room
 * in the caches of translations, and go where the hot ones go. From the accesses that the access engine finds.
 */
#ifndef PIEPROF_PRELOAD_NEIGHBOURS_H
#define PIEPROF_PRELOAD_NEIGHBOURS_H

#include <stdint.h>

#include "objects/object_map.h"

void neighbours_reset_child(void);

/* An access to `address`, in this object of this site (the record's id): counted for each other site on its page. Signal-safe. */
void neighbours_note(uintptr_t address, const struct object *object, uint32_t site);

#endif
