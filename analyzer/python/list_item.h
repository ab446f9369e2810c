/* Items of lists, "acts[i]", and the names that stand for them: by the text of a function's rows. */
#ifndef PIEPROF_ANALYZER_LIST_ITEM_H
#define PIEPROF_ANALYZER_LIST_ITEM_H

#include <stdbool.h>

#include "python/words.h"

/* A name alone: no attribute, no item, no number. */
bool item_is_plain(struct word token);

/* The list of "acts[i]"; empty where it is no item. */
struct word item_list(struct word item);

/* "i" of "acts[i]", which is an item. */
struct word item_index(struct word item);

/* "i" of "for i in range(n)", which goes through the items of a list by their number. */
bool item_index_is_of_loop(struct word rows, struct word index);

/* Is the one from a list, by its number or by a loop, that the other is an item of, or that its value is put into? It may be that. */
bool item_may_be(struct word rows, struct word one, struct word other);

#endif
