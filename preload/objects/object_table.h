/*
 * The hash table of the object map: live objects by address, for any thread. Lock-free.
 *
 * Objects of sizes [2^k, 2^(k+1)) are filed under (k, start >> k). Two of them cannot start in one such window (they would
 * overlap), so a bucket entry is unique, birth and death are O(1), and a look-up of an inner address probes three windows per
 * size class.
 */
#ifndef PIEPROF_PRELOAD_OBJECT_TABLE_H
#define PIEPROF_PRELOAD_OBJECT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/object_map.h"

/* False when memory is refused. No other function may be called before it said yes. */
bool object_table_start(void);

void object_table_prefetch(uintptr_t start, size_t size_bytes);

/*
 * May one more object live, here or in what stands in front of the table? False when there are too many: a fuller table would be slow.
 * Who lives is counted once there are some thousand, which programs of fewer are spared: a counted update takes longer than all else at
 * a birth. From then on how many live decides, not where they lie. `count_beside`: those in front of the table.
 */
bool object_table_admit(uint32_t (*count_beside)(void));
/* One that was admitted lives no more. */
void object_table_dismiss(void);

/* Files one that was admitted; a stale one in its place is dismissed. False when its neighbourhood is full. */
bool object_table_add(const struct object *object);
/* False when no object starts there. */
bool object_table_take(uintptr_t start, size_t usable_bytes, struct object *object);
/* Takes that very object out, if it still is there: another may have come to live at its address. */
void object_table_remove(const struct object *object);

/* As those of the map. */
bool object_table_find(uintptr_t address, struct object *object);
void object_table_visit(void (*visit)(const struct object *object, void *state), void *state);

#endif
