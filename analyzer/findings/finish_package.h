/* What packages do in place with a buffer that is made below a line, before the line has it. */
#ifndef PIEPROF_ANALYZER_FINISH_PACKAGE_H
#define PIEPROF_ANALYZER_FINISH_PACKAGE_H

#include "model/model.h"

/*
 * Nanoseconds of native calls that finish the site's objects, in the functions of packages between the line and what makes them, by the
 * text: "K = distances(x, y); K *= -gamma; np.exp(K, out=K)". All of them where the function makes them as memory as it is. Each call is
 * told once.
 */
uint64_t finish_package_take(struct model *model, const struct site *site);

#endif
