/*
 * What numbers a site's objects hold, counted when the program asks for it (PIEPROF_CONTENT): zeros, a repeated value, the
 * range, and what tells the type of the elements. Facts alone: what the elements are is the reader's to decide.
 */
#ifndef PIEPROF_PRELOAD_VALUES_H
#define PIEPROF_PRELOAD_VALUES_H

#include <stdint.h>

#include "objects/sites.h"
#include "pieprof/db.h"

void values_reset_child(void);

/*
 * Counts what stands in the object of this site at `start`, its birth's number `birth`; nothing where the content is not
 * asked for. Reads at most DB_CONTENT_BYTES behind the fault guard. Behind the gate, outside handlers.
 */
void values_note(struct site *site, uintptr_t start, uint32_t birth);

/* Adds what these bytes say, whole words of them, to the record's counters, `samples` and `objects` aside. For tests too. */
void values_count(struct db_content *record, const uint8_t *bytes, uint32_t length_bytes);

#endif
