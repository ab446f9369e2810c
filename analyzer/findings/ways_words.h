/* On which ways the program comes to a line, in words. */
#ifndef PIEPROF_ANALYZER_WAYS_WORDS_H
#define PIEPROF_ANALYZER_WAYS_WORDS_H

#include "findings/finding.h"

/*
 * " The line is reached in 2 ways (model.py:20 and model.py:24), each ..." of a finding's second site, or that what is said of it is so
 * by one of them alone; empty where there is one. Fresh memory.
 */
char *ways_say(struct model *model, const struct finding *finding);

#endif
