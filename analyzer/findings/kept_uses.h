/* What a file does with the names that may stand for an array (kept_names.h). */
#ifndef PIEPROF_ANALYZER_KEPT_USES_H
#define PIEPROF_ANALYZER_KEPT_USES_H

#include "findings/kept_names.h"

/* Reads all that its file says of one name: adds names that stand for the same; the search has failed where that may change while the loop runs. */
void kept_read_name(struct kept_search *search, size_t index);

#endif
