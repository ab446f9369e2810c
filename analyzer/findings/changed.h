/* Which lines store into a buffer behind the one that makes it: they have to go wherever its making goes. */
#ifndef PIEPROF_ANALYZER_CHANGED_H
#define PIEPROF_ANALYZER_CHANGED_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

#define CHANGED_MAX 8u

struct changed {
    const char *file;
    int32_t lines[CHANGED_MAX]; /* the first of them, rising */
    size_t count;
};

/*
 * By the text: the Python frame `node_id` stands at "name = ..." (CPython 3.11 and later), and below it, in the same loop
 * or else function, lines store into what the name stands for, until it is given to something else. What functions do with it
 * that are handed it, and what other names for it do, is not seen.
 */
void changed_find(struct changed *changed, struct model *model, struct process *process, uint32_t node_id);

/*
 * By what was recorded: were objects of the site seen to change after the line that made them was left (lines_frame_of_leaf())?
 * Whoever does it: functions that are handed them, other names for them. False where none of those asked was seen to.
 */
bool changed_later(struct model *model, const struct site *site);

#endif
