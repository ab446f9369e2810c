/* The report as a page for a terminal. */
#ifndef PIEPROF_ANALYZER_SHOW_TEXT_H
#define PIEPROF_ANALYZER_SHOW_TEXT_H

#include <stdio.h>

#include "model/model.h"
#include "model/select.h"
#include "options.h"

void text_show(FILE *out, struct model *model, const struct selection *selection, const struct options *options);

#endif
