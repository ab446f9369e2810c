/* What is said of results that the line already had (replica.c), and what to do about it. */
#ifndef PIEPROF_ANALYZER_REPLICA_WORDS_H
#define PIEPROF_ANALYZER_REPLICA_WORDS_H

#include "findings/finding.h"

/*
 * Fills the finding's claim and advice. `again`: its contents come round, one after the other, as the batches of an epoch do; `copy`: the
 * call only copies what it is given.
 */
void replica_say(struct model *model, struct finding *finding, bool again, bool copy);

#endif
