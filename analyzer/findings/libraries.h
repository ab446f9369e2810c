/* The libraries whose functions made a site's objects. */
#ifndef PIEPROF_ANALYZER_LIBRARIES_H
#define PIEPROF_ANALYZER_LIBRARIES_H

#include "model/model.h"

/* Among the native frames below the innermost Python one, is one of a library whose file's name holds `part`? */
bool site_is_made_in(const struct site *site, const char *part);

/* Buffers that OpenBLAS maps once, on the line that comes to it first, and works in ever after: no results of the line. */
bool site_is_reserve(const struct site *site);

/*
 * Is it memory of which only a part is ever filled, so that contents which differ say nothing: a hash table of pandas, or the elements of
 * Python's array.array, which grows by more than it needs?
 */
bool site_is_part_filled(const struct site *site);

/* Does the program's line call the foundations itself? What a package calls within itself says nothing about what it returns. */
bool site_is_called_by_line(struct model *model, const struct site *site);

/* By one of pandas' own Python functions, called by whomever? */
bool site_is_made_by_pandas(struct model *model, const struct site *site);

#endif
