/* What rows do with a name, found once: hundreds of sites of a function ask the same. */
#ifndef PIEPROF_ANALYZER_INPUTS_MEMO_H
#define PIEPROF_ANALYZER_INPUTS_MEMO_H

#include "base/memo.h"
#include "python/carried.h"

struct inputs_memo {
    struct memo carried, changed;
};

/* carried_read(), of rows that lie in a source's code as long as the memo is used. */
const struct carried *inputs_memo_carried(struct inputs_memo *memo, struct word rows, struct word name);

/* An answer for rows and a name, among the files that `files` stands for: where it is kept. `is_new`: it is to be filled in. */
bool *inputs_memo_changed(struct inputs_memo *memo, struct word rows, struct word name, uint64_t files, bool *is_new);

void inputs_memo_free(struct inputs_memo *memo);

#endif
