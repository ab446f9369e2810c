/* Whether a line's results are changed after it by whoever has them: functions that are handed them, other names for them. */
#ifndef PIEPROF_ANALYZER_CHANGED_LATER_H
#define PIEPROF_ANALYZER_CHANGED_LATER_H

#include "model/model.h"

/*
 * Did NumPy store over the site's objects, as over operands, before the line had them (db_site.unlike)? What the line has then
 * was not looked at.
 */
bool site_is_overwritten_below(struct model *model, const struct site *site);

/* ... or by the line's function itself, whose result was not looked at then? */
bool site_is_overwritten_within(struct model *model, const struct site *site);

/* By what was recorded of a few objects (db_site.changed_beyond). False where none of those was seen to. */
bool changed_later(struct model *model, const struct line *line);

/* The same of one site. */
bool site_changed_later(struct model *model, const struct site *site);

#endif
