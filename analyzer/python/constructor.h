/* What a class does with what its constructor is handed, by the text. */
#ifndef PIEPROF_ANALYZER_CONSTRUCTOR_H
#define PIEPROF_ANALYZER_CONSTRUCTOR_H

#include <stdbool.h>

#include "python/code_index.h"
#include "python/words.h"

/* The row of the "def __init__" of the file's class by that name; 0: there is none, or are several. */
int32_t constructor_of(const struct code_index *index, struct word class_name);

/*
 * Does all that the constructor does with a parameter's value come to giving it to one attribute ("self.x = x"), or asking for its
 * shape? Then that attribute alone stands for it: `attribute` ("x").
 */
bool constructor_keeps(const struct source *code, int32_t def, struct word parameter, struct word *attribute);

#endif
