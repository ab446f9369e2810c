/* The report as JSON: the stable interface. Its schema is tests/schema/report.schema.json. */
#ifndef PIEPROF_ANALYZER_JSON_H
#define PIEPROF_ANALYZER_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "model/model.h"
#include "model/select.h"

/* False when the output could not be written. */
bool json_show(FILE *out, struct model *model, const struct selection *selection);

#endif
