/* The libraries whose functions made a site's objects. */
#ifndef PIEPROF_ANALYZER_LIBRARIES_H
#define PIEPROF_ANALYZER_LIBRARIES_H

#include "model/model.h"

/* Among the native frames below the innermost Python one, is one of a library whose file's name holds `part`? */
bool site_is_made_in(struct model *model, const struct site *site, const char *part);

#endif
