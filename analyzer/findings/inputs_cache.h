/* What was found of files and loops for one site's inputs, kept for the next. */
#ifndef PIEPROF_ANALYZER_INPUTS_CACHE_H
#define PIEPROF_ANALYZER_INPUTS_CACHE_H

#include "findings/inputs_memo.h"
#include "model/model.h"
#include "python/region.h"

const struct code_index *inputs_cache_code(struct model *model, const struct source *code);

/* Of the loop with these rows, in a process's program: what it runs may stand in any of the program's own files. */
struct region *inputs_cache_region(struct model *model, struct process *process, struct region_span loop);

struct inputs_memo *inputs_cache_memo(struct model *model);

void inputs_cache_free(struct model *model);

#endif
