/* Every record as a line of text, in the order of the file's tables: for debugging and for tests. */
#ifndef PIEPROF_ANALYZER_DUMP_H
#define PIEPROF_ANALYZER_DUMP_H

#include <stdio.h>

#include "read/run.h"

void dump_show(FILE *out, const struct run *run);

#endif
