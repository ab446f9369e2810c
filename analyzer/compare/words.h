/* The sentences of the verdict on what was made again. All are fresh memory. */
#ifndef PIEPROF_ANALYZER_WORDS_H
#define PIEPROF_ANALYZER_WORDS_H

#include "compare/judge.h"

/* "1.2 MiB in 30 objects". */
char *words_sum(const struct repeated *repeated);

/* `match` NULL: there is no baseline. `before`: its line, if any. */
char *words_new(const struct match *match, const struct profile_finding *finding, const struct profile_line *before,
                const struct repeated *now);

/* Nobody looked in the baseline, at a place whose objects were full of addresses there, or all alive to the end; or its run was too short. */
char *words_untold(const struct repeated *now, const struct repeated *there);

/* Of an edited line, in runs of one length. */
char *words_grown(const struct repeated *now, const struct repeated *there);

/* Of a line that a new row calls. */
char *words_called(const struct match *match, const struct repeated *now, const struct new_caller *caller);

/* "128 KiB made again for each birth, 64 KiB in the baseline (+100 %)". */
char *words_change(const struct repeated *now, const struct repeated *there);

#endif
