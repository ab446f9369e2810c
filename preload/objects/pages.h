/*
 * Memory that comes fresh from the kernel: which pages of a large object are not there at its birth, and are at its end, so
 * that each was a page fault. Outside handlers, behind the gate. System calls only.
 */
#ifndef PIEPROF_PRELOAD_PAGES_H
#define PIEPROF_PRELOAD_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pieprof/db.h"

#define PAGES_ASKED_WHOLE_BYTES                                                                                        \
    ((size_t)128 << 20) /* of larger objects some parts are asked about, at even distances */

/*
 * Counts what is not there yet of an object of `size_bytes` that begins at `start`; nothing below DB_PAGES_MIN_BYTES. True:
 * pages_ended() is to be told of its end. May try out what a page costs (page_cost.h).
 */
bool pages_born(struct db_site *site, uintptr_t start, size_t size_bytes);

/* Counts what is not there at the end, while it can still be touched. */
void pages_ended(struct db_site *site, uintptr_t start);

#define PAGES_ASKED 512u /* at once */

/* Pages of an object, [first, end), and which of them have memory. Both are 0 before the first question. */
struct pages_answer {
    uintptr_t first, end;
    unsigned char present[PAGES_ASKED];
};

/*
 * Has no page of these bytes, one page's worth at most, memory? Then they are zeros, for an object is anonymous memory. Asked
 * in order of addresses up to `object_end`, the kernel answers for many pages at once. False also where it does not say, and
 * where anything at all is swapped out on this machine: mincore(2) calls such pages absent, too.
 */
bool pages_are_empty(struct pages_answer *answer, uintptr_t start, size_t bytes, uintptr_t object_end);

#endif
