/* Operands that NumPy stored its next result over (db_site.unlike): they were looked at, and what came of them was not. */
#ifndef PIEPROF_ANALYZER_ELIDED_H
#define PIEPROF_ANALYZER_ELIDED_H

#include "model/model.h"

/* Did that happen before the line had the site's objects? What it has then is another's content. */
bool site_is_elided_below(struct model *model, const struct site *site);

/* ... or in the line's function, behind the line's instruction? */
bool site_is_elided_within(struct model *model, const struct site *site);

#endif
