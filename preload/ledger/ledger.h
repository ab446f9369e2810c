/* The mapped file: extents, records, blobs. The format is include/pieprof/db.h. */
#ifndef PIEPROF_PRELOAD_LEDGER_H
#define PIEPROF_PRELOAD_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pieprof/db.h"

/* Opens or joins the run's file (DESIGN: one run, one name). Says one line and returns false on failure. Not signal-safe. */
bool ledger_open(void);

/* True between ledger_open and a loss of the file. Signal-safe. */
bool ledger_is_open(void);

/* Was it the file system, and not PIEPROF_MAX_SIZE, that left no space when some was last asked for? */
bool ledger_is_refused(void);

/* Counts a process that found no space for its record. */
void ledger_count_refused_join(void);

/* In a forked child: forget the parent's extents, keep the mapping. */
void ledger_reset_child(void);

/* Tops up the reserve of this process. A chore: system calls, outside handlers. */
void ledger_reserve(void);

/*
 * A zeroed record of `kind` and its id, or NULL (counted: FILE_FULL, DISK_FULL or NO_RESERVE). Signal-safe, lock-free.
 * Fill it, then ledger_publish() it. A claimed record that is never published is skipped by readers.
 */
void *ledger_claim(enum db_kind kind, uint32_t *id);
void ledger_publish(void *record); /* stores 1 to the leading `published` with release order */

/* The record of an id that ledger_claim gave this process; NULL when out of range. Signal-safe. */
void *ledger_record(enum db_kind kind, uint32_t id);

/* Stores bytes; returns the blob reference or 0 (counted). Signal-safe. `data` must be readable. */
uint32_t ledger_blob(const void *data, size_t length_bytes);
uint32_t ledger_blob_string(const char *text);

/*
 * As ledger_blob for memory that may not be readable: copies behind the fault guard; 0 on a fault.
 */
uint32_t ledger_blob_guarded(const void *data, size_t length_bytes);

/* True when `address` lies in the mapping: private zero pages were put there and recording stops. For the SIGBUS handler. */
bool ledger_repair(uintptr_t address);

/* Troubles said once a run. True for the first process that asks. */
enum ledger_trouble {
    LEDGER_TROUBLE_DISK = 1,
    LEDGER_TROUBLE_FULL = 2,
    LEDGER_TROUBLE_LOST = 4,
    LEDGER_TROUBLE_ENGINE = 8
};
/* LEDGER_TROUBLE_ENGINE << enum db_engine is the trouble of that engine. */
bool ledger_first_to_say(uint64_t trouble);

/* At the end: says what went wrong with the file (full, truncated, removed), one line. Not signal-safe. */
void ledger_close(void);

#endif
