/* Python strings, copied as UTF-8 from where they lie. Signal-safe. */
#ifndef PIEPROF_PRELOAD_PYTHON_STRING_H
#define PIEPROF_PRELOAD_PYTHON_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct python_probe;

/* At most `room` bytes, no terminator; a longer string is cut at a character (counted BLOB_TOO_LARGE). False: not a
 * readable compact str. Surrogates that stand for bytes (PEP 383) come out as these, others as "?". */
bool python_string_copy(const struct python_probe *probe, uintptr_t address, char *to, size_t room, size_t *bytes);

/* The last bytes of its characters as they lie, eight characters at least; zeros for what is no readable compact str. */
#define PYTHON_STRING_END_WORDS 4
bool python_string_end(const struct python_probe *probe, uintptr_t address, uintptr_t end[PYTHON_STRING_END_WORDS]);

#endif
