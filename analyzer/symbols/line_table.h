/* CPython's location tables: from a byte offset in the bytecode to line and columns. */
#ifndef PIEPROF_ANALYZER_LINE_TABLE_H
#define PIEPROF_ANALYZER_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_span {
    uint32_t start, end;        /* byte offsets of the instructions it covers */
    int32_t line, end_line;     /* 0: these instructions have no location */
    int32_t column, end_column; /* UTF-8 bytes, from 0; -1: unknown */
};

struct line_table {
    struct line_span *spans; /* by start, without gaps */
    size_t count;
    int32_t first_line;
};

/*
 * Decodes `bytes` by the rules of `python_version` (PY_VERSION_HEX): co_lnotab up to 3.9, PEP 626 in 3.10, PEP 657 from
 * 3.11. Any bytes are safe; a table cut short gives what it holds. Free with line_table_free. Source of the rules:
 * CPython's Objects/lnotab_notes.txt and Objects/locations.md.
 */
void line_table_decode(struct line_table *table, uint32_t python_version, const unsigned char *bytes,
                       size_t length_bytes, int32_t first_line);
void line_table_free(struct line_table *table);

/*
 * The location at `offset`. An instruction without one takes that of the nearest before it; a frame not yet begun
 * (negative offset) is at its `def` line. Columns are -1 in both cases. Never fails.
 */
struct line_span line_table_find(const struct line_table *table, int32_t offset);

/* The span that covers `offset` as the table has it, line 0 when it has no location; NULL beyond the table. */
const struct line_span *line_table_exact(const struct line_table *table, uint32_t offset);

#endif
