/* Of a Python source, the code alone: what stands in comments and strings says nothing of what runs. */
#ifndef PIEPROF_ANALYZER_SOURCE_CODE_H
#define PIEPROF_ANALYZER_SOURCE_CODE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Overwrites comments, strings and annotations (annotations.h) with blanks; ends of lines stay, so lines and columns do. Strings as in the language reference, 2.4.1: a backslash hides the next byte, in raw ones too. Of a string that never ends, or a
 * text that is no Python, nothing is read beyond `length_bytes`.
 */
void source_code_only(char *text, size_t length_bytes);

/* The same of strings alone: comments stay, and quotes in them begin none. */
void source_without_strings(char *text, size_t length_bytes);

/* The same of annotations alone, but for strings in them. */
void source_without_annotations(char *text, size_t length_bytes);

/* "x[i][j]" becomes "x[i, j]", which is the same element of an array, in as many bytes. Not in strings and comments. */
void source_join_subscripts(char *text, size_t length_bytes);

#endif
