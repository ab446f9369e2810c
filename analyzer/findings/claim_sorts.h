/* Claims on a line whose parts ask for several advices. */
#ifndef PIEPROF_ANALYZER_CLAIM_SORTS_H
#define PIEPROF_ANALYZER_CLAIM_SORTS_H

#include "findings/claim.h"

/*
 * As claim_fill(), where sites of several sorts carry the claim: the finding tells of those with most equal bytes, its figures are those of
 * all, and what is to be said of the others stands in `beside`. What joins a claim goes with the first. Free with claim_beside_free().
 */
void claim_fill_by_sort(struct model *model, struct claim *claim, struct finding *finding);

void claim_beside_free(struct finding *beside);

#endif
