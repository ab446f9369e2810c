/* Whether a line's results are changed after it by whoever has them: functions that are handed them, other names for them. */
#ifndef PIEPROF_ANALYZER_CHANGED_LATER_H
#define PIEPROF_ANALYZER_CHANGED_LATER_H

#include "model/model.h"

/* By what was recorded of a few objects (db_site.changed_beyond). False where none of those was seen to. */
bool changed_later(struct model *model, const struct line *line);

/* The same of one site. */
bool site_changed_later(struct model *model, const struct site *site);

#endif
