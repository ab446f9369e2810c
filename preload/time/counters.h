/* PIEPROF_EVENTS: hardware counters through PAPI, read at each sample and charged to its context. */
#ifndef PIEPROF_PRELOAD_COUNTERS_H
#define PIEPROF_PRELOAD_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Opens PAPI and chooses the events, once. Says one line for what cannot be counted. Constructor only. */
void counters_start(void);

/* In a forked child nothing is counted, and the clock is the trigger. After all threads were forgotten. */
void counters_reset_child(void);

bool counters_thread_begin(struct thread *thread); /* outside handlers */
void counters_thread_end(struct thread *thread);   /* outside handlers */

/* Charges what was counted on this thread since the last call to the context `node`. Signal-safe. */
void counters_sample(struct thread *thread, uint32_t node);

#endif
