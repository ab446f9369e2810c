/* The loops and comprehensions that are walked through (walks.h), each once. */
#ifndef PIEPROF_ANALYZER_WALK_LOOPS_H
#define PIEPROF_ANALYZER_WALK_LOOPS_H

#include "base/intern.h"
#include "findings/comprehension.h"
#include "findings/loop.h"
#include "findings/walks.h"

/* `map`: of the walks that there are, the caller's to free. Their texts are read when they are first asked for. */
struct walk *walk_of_loop(struct walks *walks, struct map *map, struct model *model, const struct loop_body *body);
struct walk *walk_of_comprehension(struct walks *walks, struct map *map, const struct comprehension *comprehension);

/*
 * Of a loop whose rounds need what those before left, in the function's loop `around` it: that one, where its own rounds do not; the walk itself
 * else. "for n in range(count): last = 0.0; for t in range(steps): last = x[t, n] + 0.9 * last".
 */
struct walk *walk_free_of(struct walks *walks, struct map *map, struct model *model, struct walk *walk,
                          const struct loop_body *around);

#endif
