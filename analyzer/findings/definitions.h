/* The functions that were seen to run, in the text. */
#ifndef PIEPROF_ANALYZER_DEFINITIONS_H
#define PIEPROF_ANALYZER_DEFINITIONS_H

#include "model/model.h"

/* The name behind the last dot: "Layer.relu" is called as relu(). */
const char *definition_name(const struct code *code);

/* The row of the "def" of the function whose code this is, of which row `row` ran; 0: it has none, or it is not found. */
int32_t definition_row(struct model *model, const struct code *code, int32_t row);

#endif
