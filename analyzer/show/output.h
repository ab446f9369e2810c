/* Where a verb writes: standard output, or the file that -o names. */
#ifndef PIEPROF_ANALYZER_OUTPUT_H
#define PIEPROF_ANALYZER_OUTPUT_H

#include <stdio.h>

#include "options.h"

/* NULL after one line on stderr. */
FILE *output_open(const struct options *options);

/* Flushes and closes; false (after one line on stderr) when not all could be written. */
int output_close(FILE *file, const struct options *options);

#endif
