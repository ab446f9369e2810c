/* What is spent on the list that a call makes an array of. */
#ifndef PIEPROF_ANALYZER_FED_H
#define PIEPROF_ANALYZER_FED_H

#include "model/model.h"

struct fed {
    uint64_t ns, samples;
};

/*
 * CPU time of the comprehensions among the arguments of the place's call, where that makes an array of what it is
 * handed ("np.array([f(x) for x in xs])"): where the array is the same again, the list was. Not what counts at places of its own, nor
 * comprehensions that call the program's own functions, which may do more than that.
 */
struct fed fed_time(struct model *model, const struct place *place);

#endif
