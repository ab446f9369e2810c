/* This process within the run: its record, its birth by start or fork, its end. */
#ifndef PIEPROF_PRELOAD_PROCESS_H
#define PIEPROF_PRELOAD_PROCESS_H

#include <stdbool.h>

#include "pieprof/db.h"

/* The record in the ledger, or a private one to count into while there is none: never NULL. */
extern struct db_process *process_record;

/* Takes a record in the ledger. Constructor only. False (said) when the file has no space for this process. */
bool process_begin(void);

/* Records the version of Python and the trigger, once they are known. Outside handlers. */
void process_describe(void);

/*
 * In a forked child, from the gate: forgets the parent's tables, descriptors and watches (closing, never ioctl-ing
 * them), takes extents of its own and starts the calling thread's clock. System calls only. False: stays closed.
 */
bool process_adopt_child(void);

/* The record becomes visible to readers once Python ran: called by samples and sites with Python frames, and at exit. Signal-safe. */
void process_ran_python(void);

/*
 * Both clocks of the process, where they are older than some milliseconds: the second is a system call that adds up all threads.
 * Signal-safe.
 */
void process_refresh_clocks(void);

/*
 * Marks how the process ends and stops recording. Idempotent; does nothing in a child that shares or copied this process's
 * memory. DB_END_EXIT also ends the calling thread's clock and says what went wrong with the file (system calls only);
 * the others only mark, and are signal-safe.
 */
void process_finish(enum db_process_end how);

/*
 * The status with which the process exits; also after process_finish, for the record stays mapped. Signal-safe; does nothing
 * in a child that shares this memory.
 */
void process_note_status(int status);

/* Around exec: marks the record DB_END_EXEC, and takes that back when exec returned. Signal-safe; keeps errno. */
bool process_exec_begin(void);
void process_exec_failed(void);

/* Signal-safe counters. */
static inline void process_count(uint64_t *counter, uint64_t amount)
{
    __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}

static inline void process_drop(enum db_drop reason)
{
    process_count(&process_record->dropped[reason], 1);
}

/* Records an engine as on, or off with its reason (one line, with the remedy), which is said once a run. */
void process_engine_on(enum db_engine engine);
void process_engine_off(enum db_engine engine, const char *why);
/* Records it as off without a word: it was not asked for. */
void process_engine_skip(enum db_engine engine, const char *why);

#endif
