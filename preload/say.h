/* One line on stderr, from a stack buffer by write(2): outside handlers only, never through stdio. */
#ifndef PIEPROF_PRELOAD_SAY_H
#define PIEPROF_PRELOAD_SAY_H

#include <stddef.h>

enum say_level { SAY_QUIET = 0, SAY_ERROR = 1, SAY_INFO = 2, SAY_DEBUG = 3 };

/* Remembers what stderr is; until then, and when descriptor 2 is something else by now, nothing is written. Constructor. */
void say_start(void);

/*
 * Writes "pieprof: ..." and a newline when `level` <= PIEPROF_LOG. Keeps errno, raises no SIGPIPE, waits at most 100 ms for
 * a full pipe. A longer line is cut at about 8 KiB. Not signal-safe.
 */
void say(enum say_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Copies `text` so that it can be quoted in a line: control characters, quotes and backslashes as \xHH, "..." when cut. */
void say_quote(char *to, size_t capacity, const char *text);

#endif
