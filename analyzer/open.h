/* What report and dump share: the run's file is read, or one line says why not. */
#ifndef PIEPROF_ANALYZER_OPEN_H
#define PIEPROF_ANALYZER_OPEN_H

#include <stdbool.h>

#include "read/run.h"

/* Reads `path`. On failure: one line on stderr, false. Damage that leaves the file readable: one line on stderr, true. */
bool open_run(struct run *run, const char *path);

#endif
