/* What a forked child must forget of its parent, part by part. */
#ifndef PIEPROF_PRELOAD_PROCESS_CHILD_H
#define PIEPROF_PRELOAD_PROCESS_CHILD_H

#include <stdbool.h>

/* Resets every part of the shim. System calls only, no lock. False when the ledger is no longer there. */
bool process_child_reset(void);

#endif
