/* Text from a file is foreign: it may hold control characters or no UTF-8 at all. */
#ifndef PIEPROF_ANALYZER_TEXT_H
#define PIEPROF_ANALYZER_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Valid UTF-8 with the invalid bytes replaced by U+FFFD; control characters stay. Fresh memory. */
char *text_valid(const char *bytes, size_t length_bytes);

/*
 * As text_valid, with control characters and what no reader sees (see unseen_ranges) written as \xNN, \uNNNN or \UNNNNNNNN,
 * tabs as 4 blanks, and so the first character of what a continuous integration would take for a command.
 */
char *text_printable(const char *bytes, size_t length_bytes);

/* The character at `bytes`, its length in `*length_bytes`; U+FFFD and 1 for an invalid byte. Needs length_bytes_left > 0. */
uint32_t text_decode(const char *bytes, size_t length_bytes_left, size_t *length_bytes);

/* Columns of a terminal: two for wide East Asian characters and emoji, none for combining marks. */
unsigned text_char_columns(uint32_t character);
size_t text_columns(const char *text);

/* `text` cut to at most `columns` columns, with "..." at the end when it was longer. Fresh memory. */
char *text_cut(const char *text, size_t columns);

/* Overwrites [from, to) with blanks, but for ends of lines. */
void text_blank(char *text, size_t from, size_t to);

#endif
