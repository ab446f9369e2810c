/*
 * Memory that comes fresh from the kernel: which pages of a large object are not there at its birth, and are at its end, so
 * that each was a page fault; and what a page costs on this machine. Outside handlers, behind the gate. System calls only.
 */
#ifndef PIEPROF_PRELOAD_PAGES_H
#define PIEPROF_PRELOAD_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pieprof/db.h"

/*
 * Counts what is not there yet of an object of `size_bytes` that begins at `start`; nothing below DB_PAGES_MIN_BYTES. True:
 * pages_ended() is to be told of its end. The first time what a page costs is tried out, which takes some milliseconds.
 */
bool pages_born(struct db_site *site, uintptr_t start, size_t size_bytes);

/* Have the pages of these bytes, one page's worth at most, memory? True also where the kernel does not say. */
bool pages_are_there(uintptr_t start, size_t bytes);

/* Counts what is not there at the end, while it can still be touched. */
void pages_ended(struct db_site *site, uintptr_t start);

#endif
