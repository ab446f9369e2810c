/* One sample: time to its context, then the access engine's turn. */
#ifndef PIEPROF_PRELOAD_SAMPLE_H
#define PIEPROF_PRELOAD_SAMPLE_H

#include <ucontext.h>

#include "thread.h"

/* From a trigger's signal, behind the gate. Signal-safe. */
void sample_take(struct thread *thread, ucontext_t *uc);

#endif
