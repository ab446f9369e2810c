/* What a round of a loop leaves for a later one. */
#ifndef PIEPROF_ANALYZER_LOOP_CARRIED_H
#define PIEPROF_ANALYZER_LOOP_CARRIED_H

#include "python/aliases.h"
#include "python/loop_text.h"
#include "python/loop_uses.h"

/*
 * Does one need what an earlier one made, or do what no array holds? `code`: the file's. Of the body's uses, and its text; of the loop what its
 * header says is known.
 */
bool loop_carried_any(const struct source *code, const struct loop_text *loop, const struct loop_uses *uses,
                      const struct aliases *aliases, struct word body);

/* "x[start[i]:start[i + 1]]", "x[y[i] > 0]": pieces of unlike lengths, which no whole array has. */
bool loop_carried_has_pieces(const struct loop_text *loop, const struct loop_uses *uses);

/*
 * Data say which element a round changes, and two rounds may mean the same one: "z[where[i]] += x[i]" adds up, whatever comes first;
 * anything else that takes what is there is carried on.
 */
void loop_carried_read_scattered(struct loop_text *loop, const struct loop_uses *uses);

#endif
