/* Types that a Python source writes beside its names: "x: Tensor = f()", "def f(x: int = 1) -> bool:". They change nothing of what runs. */
#ifndef PIEPROF_ANALYZER_ANNOTATIONS_H
#define PIEPROF_ANALYZER_ANNOTATIONS_H

#include <stddef.h>

/*
 * Overwrites them, with their ":" or "->", with blanks, and "x: int" as a whole; ends of lines stay, so lines and columns do. `text`: without comments and strings
 * (source_code.h). Language reference, 7.2.2 and 8.7: behind a name, an attribute or an item that begins a statement, behind a parameter, and
 * before the end of a "def". Of a text that is no Python, nothing is read beyond `length_bytes`.
 */
void annotations_blank(char *text, size_t length_bytes);

#endif
