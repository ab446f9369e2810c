/*
 * The last objects that each of a few threads made, in front of the table: most objects die soon after their birth, on the same
 * thread, and never come there. A list is as large as a part of the first cache, where the table's entries, strewn over a megabyte,
 * have to be fetched anew.
 *
 * An object stands in its thread's list or in the table, for a moment in both, never in neither. Only the owner of a list puts objects
 * into it; anyone takes them out. Who looks for one looks at the lists first, then at the table.
 */
#ifndef PIEPROF_PRELOAD_NEWBORN_H
#define PIEPROF_PRELOAD_NEWBORN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/object_map.h"

/* Asks the caches for where an object of the calling thread that starts there would stand; false: it has no list. */
bool newborn_prefetch(uintptr_t start);

/*
 * Puts an object of the calling thread, admitted to the table, into its list; the one that has to make room goes to the table. False:
 * it is in no list (the thread has none, or there is no room).
 */
bool newborn_add(const struct object *object);

/* Takes the one that starts there out of the calling thread's list, or out of those of all others. False: it is not there. */
bool newborn_take_own(uintptr_t start, struct object *object);
bool newborn_take_others(uintptr_t start, struct object *object);

/* Has another thread a list? */
bool newborn_others(void);

/* As object_map_find(). Signal-safe. */
bool newborn_find(uintptr_t address, struct object *object);

/* How many there are. */
uint32_t newborn_count(void);

/* As object_map_visit(). */
void newborn_visit(void (*visit)(const struct object *object, void *state), void *state);

/* The calling thread ends: its objects go to the table, and its list to another thread. When the table is full they stay. */
void newborn_leave(void);

/* In a forked child: so do those of the threads that are not here. */
void newborn_reset_child(void);

#endif
