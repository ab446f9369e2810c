/* Statements of one suite, by the indentation of the text: those that stand one behind the other. */
#ifndef PIEPROF_ANALYZER_SUITE_H
#define PIEPROF_ANALYZER_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

#define SUITE_ROWS_MAX 100 /* so far the next statement is looked for */

/* A row without blanks at its ends, and its indentation in bytes. False: there is no such row. */
bool suite_row(const struct source *code, int32_t row, struct word *text, size_t *indent);

/*
 * The statement that begins on row `row` of a source's code (source_code()); its indentation in bytes, and its last row. False
 * where there is no code, or more than a statement; the indentation is told all the same.
 */
bool suite_statement(const struct source *code, int32_t row, struct word *statement, size_t *indent, int32_t *last);

/* The one behind row `behind`, where that is of the suite that is indented so, and no statement within one of it. */
bool suite_next(const struct source *code, int32_t behind, size_t indent, struct word *statement, int32_t *row,
                int32_t *last);

/*
 * The rows of the statement that holds row `line` of a source's code (source_code()), read from row `from`, where one begins. False
 * where it does not end.
 */
bool suite_rows(const struct source *code, int32_t from, int32_t line, int32_t *first, int32_t *last);

/* The statement at `at` of a source's code; `*first`: the row on which it begins, 0 where another begins there. False: it does not end. */
bool suite_statement_at(const struct source *code, const char *at, struct word *statement, int32_t *first);

#endif
