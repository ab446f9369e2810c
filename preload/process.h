/* This process within the run: its record, its birth by start or fork, its end. */
#ifndef PIEPROF_PRELOAD_PROCESS_H
#define PIEPROF_PRELOAD_PROCESS_H

#include <stdbool.h>

#include "pieprof/db.h"

/* The record in the ledger, or a private one to count into while there is none: never NULL. */
extern struct db_process *process_record;

/* Starts recording in a process that holds Python. Constructor only. */
bool process_begin(void);

/*
 * In a forked child, from the gate: forgets the parent's tables, descriptors and watches (closing, never ioctl-ing
 * them), takes extents of its own and starts the calling thread's clock. System calls only. False: stays closed.
 */
bool process_adopt_child(void);

/* The record becomes visible to readers once Python ran: called by the first sample with a Python frame, and at exit. */
void process_ran_python(void);

/* Marks how the process ends and stops recording. Idempotent. */
void process_finish(enum db_process_end how);

/* Signal-safe counters. */
static inline void process_count(uint64_t *counter, uint64_t amount)
{
    __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}

static inline void process_drop(enum db_drop reason)
{
    process_count(&process_record->dropped[reason], 1);
}

/* Records an engine as on, or off with its reason (one line, with the remedy). */
void process_engine_on(enum db_engine engine);
void process_engine_off(enum db_engine engine, const char *why);

#endif
