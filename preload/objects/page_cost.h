/*
 * What a page fault costs here: some pages are mapped, touched and unmapped, now and again while the program goes on getting fresh
 * memory, for what it takes differs by the moment: others are busy, or the kernel has to look for pages. The middle of these trials
 * is told in the record (db_live).
 */
#ifndef PIEPROF_PRELOAD_PAGE_COST_H
#define PIEPROF_PRELOAD_PAGE_COST_H

#include <stddef.h>

/*
 * An object of `object_bytes` came, `fresh_bytes` of it with no memory yet: tries where it is time to, which takes a millisecond, or
 * some for huge pages. Outside handlers, behind the gate. System calls only.
 */
void page_cost_want(size_t object_bytes, size_t fresh_bytes);

/* A forked child tells for itself. */
void page_cost_reset_child(void);

#endif
