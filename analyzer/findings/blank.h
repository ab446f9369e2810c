/* Calls that make a buffer of one value, or of none yet: nothing is computed. */
#ifndef PIEPROF_ANALYZER_BLANK_H
#define PIEPROF_ANALYZER_BLANK_H

#include "model/model.h"

enum blank { BLANK_NO, BLANK_YES, BLANK_UNKNOWN };

/*
 * Was the site's object made by such a call of the user's or of a package? By the text of the innermost instruction outside
 * of the foundations: inside of them a buffer is made for what the same function then stores. Unknown without columns
 * (before CPython 3.11) or source.
 */
enum blank site_is_blank(struct model *model, const struct site *site);

/* Was it made by one that stores nothing? What it held then are leftovers. */
bool site_is_made_unfilled(struct model *model, const struct site *site);

#endif
