/*
 * Whom a worker of OpenBLAS serves. Its pool is one for the process, and does not tell: jobs pass from the caller to the workers
 * inside the library. But while a worker is at a job its caller waits in the library, below the Python line that called: so the
 * only thread with Python is it, or of several the only one that ran of late.
 */
#ifndef PIEPROF_PRELOAD_ADOPT_H
#define PIEPROF_PRELOAD_ADOPT_H

#include <stdint.h>

struct thread;
struct context_scratch;

/*
 * The node of the context that `thread`, the calling one, works for, by its native frames in `scratch`; 0: it waits (then
 * scratch->waits), is none of OpenBLAS's, or there is no telling. Signal-safe.
 */
uint32_t adopt_find(const struct thread *thread, struct context_scratch *scratch);

#endif
