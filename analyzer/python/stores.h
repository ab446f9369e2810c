/* What a statement does to the buffer that a name stands for, by the text. */
#ifndef PIEPROF_ANALYZER_STORES_H
#define PIEPROF_ANALYZER_STORES_H

#include "python/words.h"

enum store_effect { STORE_NONE, STORE_CHANGES, STORE_REBINDS };

/*
 * Does it store into the buffer, or give the name to something else? Assignments, methods and functions of NumPy and PyTorch that
 * change what they belong to or are given. What functions of the program's own do with it is not asked.
 */
enum store_effect stores_effect(struct word statement, struct word buffer);

/*
 * Of one that stores: is it a column's that is set ("frame["ratio"] = ..."), in what holds the buffer - a table, a dictionary -, and not in the
 * buffer? By the code without strings (source_code()), in which the key is blank. NumPy's structured arrays are taken for tables.
 */
bool stores_column(struct word statement, struct word buffer);

#endif
