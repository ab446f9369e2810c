/* Between the files that write the JSON report. */
#ifndef PIEPROF_ANALYZER_JSON_PARTS_H
#define PIEPROF_ANALYZER_JSON_PARTS_H

#include <jansson.h>

#include "model/model.h"

json_t *json_text(const char *text); /* null for NULL; invalid UTF-8 replaced */
json_t *json_count(uint64_t count);
json_t *json_seconds(double seconds);
json_t *json_share(const struct share *share);

/* json_run.c: the report's "run". */
json_t *json_run(const struct model *model);

#endif
