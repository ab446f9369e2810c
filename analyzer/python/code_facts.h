/* Of a file's code without strings and comments (source_code()): its rows, its functions, and what its names are given. */
#ifndef PIEPROF_ANALYZER_CODE_FACTS_H
#define PIEPROF_ANALYZER_CODE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

/* The row on which that stands. */
int32_t code_row(const struct source *code, const char *at);

struct word code_text(const struct source *code);

/* The row trimmed, and its indentation; its text is NULL where there is no such row. */
struct word code_row_text(const struct source *code, int32_t row, size_t *indent);

/* The name behind "def" on the row; empty: none stands there. */
struct word code_name_of(const struct source *code, int32_t row);

/* Are there names in it that reach everything at once ("globals", "setattr"), or is it too long to look through? */
bool code_is_open(const struct source *code);

/* Does a statement of the function whose "def" stands on the row (0: of the module) give the name a value? */
bool code_gives(const struct source *code, int32_t def, struct word name);

/*
 * Does a string name it in braces? What stands in strings is no code here, but an f-string's is. `text`: the file's with its strings, of
 * which `code` is the twin without.
 */
bool code_is_in_strings(const struct source *text, const struct source *code, struct word name);

/* Does the word stand in that function? */
bool code_has_word(const struct source *code, int32_t def, const char *text);

/* The row of the only "def" of that name; 0: there is none, or are several. */
int32_t code_definition(const struct source *code, struct word name);

/* The row of the "def" that a call of `function` runs; 0: it is none of the file's, or the name is given something else, too. */
int32_t code_function_run(const struct source *code, struct word function);

/* Is the name given a layer or a loss of PyTorch's, and nothing else? It leaves what it is given as it is, and keeps nothing of it. */
bool code_is_layer(const struct source *code, struct word name);

/* Does the file define a function of that name anywhere? */
bool code_defines(const struct source *code, struct word name);

#endif
