/* What is said of stores into a buffer that is to be kept. */
#ifndef PIEPROF_ANALYZER_CHANGES_WORDS_H
#define PIEPROF_ANALYZER_CHANGES_WORDS_H

#include "findings/finding.h"

/*
 * What is made equal is the finished buffer: lines that store into it behind the one that makes it have to move with that, or
 * they store into what is kept, again and again. Empty where there are none. `copy`: the finding's call only copies. Fresh memory.
 */
char *changes_say(struct model *model, const struct finding *finding, bool copy);

#endif
