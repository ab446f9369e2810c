/* Buffers that are read before they are finished: what is equal at their ends says nothing of what was read. */
#ifndef PIEPROF_ANALYZER_UNFINISHED_H
#define PIEPROF_ANALYZER_UNFINISHED_H

#include "model/model.h"

/*
 * Are the site's objects read in between, before lines below store into them, while what they are made from may be another each time,
 * by the text? Or were two that ended equal seen to differ before? Then keeping the finished one may change what is read.
 */
bool site_is_read_unfinished(struct model *model, const struct site *site);

#endif
