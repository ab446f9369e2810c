/* Answers that are kept: each is made once for its key, and all end together. */
#ifndef PIEPROF_ANALYZER_MEMO_H
#define PIEPROF_ANALYZER_MEMO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/intern.h"

struct memo_entry;

/* A zeroed struct is an empty one. */
struct memo {
    struct map map;
    struct memo_entry *first;
};

/* The answer for a key; NULL: none is kept. */
void *memo_find(const struct memo *memo, struct map_key key);

/* The same; where none is kept, `is_new`, and `size_bytes` of zeros to be filled in. Stays where it is until memo_free(). */
void *memo_get(struct memo *memo, struct map_key key, size_t size_bytes, bool *is_new);

void memo_free(struct memo *memo);

#endif
