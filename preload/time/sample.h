/* One sample: time to its context, then the access engine's turn. */
#ifndef PIEPROF_PRELOAD_SAMPLE_H
#define PIEPROF_PRELOAD_SAMPLE_H

#include <ucontext.h>

#include "thread.h"

/* From a trigger's signal, behind the gate. Signal-safe. */
void sample_take(struct thread *thread, ucontext_t *uc);

/*
 * At the end of a thread that is sampled: charges what ran since its last sample to that one's context, once; nothing where it had none, or
 * its clock is paused: how far that context reaches is not known then.
 * Of threads that run for a period or longer, whatever their pace, all is told then; of shorter ones each has a chance to be met, and
 * stands for those that were not. Signal-safe.
 */
void sample_end(struct thread *thread);

/*
 * In place of sample_take() at a tick that came while SIGTRAP was blocked, in another handler or while the kernel wrote its frame:
 * `uc` is not where the time went. From the second in a row each makes the clock slower until one comes in time: where ticks take
 * longer than they are apart the program would be interrupted for ever before its next instruction. Signal-safe.
 */
void sample_late(struct thread *thread, const ucontext_t *uc);

#endif
