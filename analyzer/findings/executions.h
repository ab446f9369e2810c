/* How often a function ran, by what it makes. */
#ifndef PIEPROF_ANALYZER_EXECUTIONS_H
#define PIEPROF_ANALYZER_EXECUTIONS_H

#include "model/model.h"

/* Of the line's function, in a process, as what its other lines make outside its loops says; 0: nothing does. */
uint64_t executions_of(struct model *model, const struct line *line, const struct process *process);

/* Does each execution of the site's line, which stands in no loop of its function, make all contents of a period of several? */
bool executions_make_period(struct model *model, const struct site *site);

#endif
