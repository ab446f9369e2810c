/* Is a setting of a call ("k" of "minlength=k") the same in each round of a loop, by the text? */
#ifndef PIEPROF_ANALYZER_KEPT_SETTING_H
#define PIEPROF_ANALYZER_KEPT_SETTING_H

#include "findings/kept_ways.h"
#include "findings/loop.h"

/*
 * Of what `name` stands for at the innermost of the ways' levels; `loop` is one of theirs. A number, None or a type is meant: it is
 * another only where the name is given another. False where that is not seen.
 */
bool kept_setting(const struct kept_ways *ways, struct word name, struct loop loop);

#endif
