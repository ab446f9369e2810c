/* Files that are read again and again, though what they give is little enough to be kept. */
#ifndef PIEPROF_ANALYZER_READ_AGAIN_H
#define PIEPROF_ANALYZER_READ_AGAIN_H

#include "model/model.h"

/*
 * How many contents the site's call reads from files, if they are small enough to be kept and come so often each, in whatever order, that
 * it is worth it; 0 if not. A file that has not changed gives the same whenever it is read: no plateau is a trap here. By the names of
 * the functions between the program's own code and what makes the object, and by the text of the call.
 */
uint64_t site_read_again(struct model *model, const struct site *site);

#endif
