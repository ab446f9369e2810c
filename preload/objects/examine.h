/* The content of one object against its site's earlier ones: filled at all, constant, a replica, a copy. */
#ifndef PIEPROF_PRELOAD_EXAMINE_H
#define PIEPROF_PRELOAD_EXAMINE_H

#include <stdint.h>

#include "objects/object_map.h"
#include "objects/sites.h"

/* Notes what stands in the fresh buffer, where that will be asked at its end. */
void examine_birth(const struct site *site, uintptr_t start, struct object_origin *origin);

/* Its content stands at `start`: counts what it is in the site's record. Outside handlers. */
void examine_end(struct site *site, const struct object *object, uintptr_t start);

/* The same of one that lived to the end of the program: where it equals others that is proved, for no later proof comes. */
void examine_last(struct site *site, const struct object *object, uintptr_t start);

#endif
