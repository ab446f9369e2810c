/* What was found of files and loops for one site's inputs, kept for the next. */
#ifndef PIEPROF_ANALYZER_INPUTS_CACHE_H
#define PIEPROF_ANALYZER_INPUTS_CACHE_H

#include "model/model.h"
#include "python/region.h"

const struct code_index *inputs_cache_code(struct model *model, const struct source *code);

/* Of the loop with these rows. */
struct region *inputs_cache_region(struct model *model, struct region_span loop);

void inputs_cache_free(struct model *model);

#endif
