/* One line on stderr, from a stack buffer by write(2): outside handlers only, never through stdio. */
#ifndef PIEPROF_PRELOAD_SAY_H
#define PIEPROF_PRELOAD_SAY_H

enum say_level { SAY_QUIET = 0, SAY_ERROR = 1, SAY_INFO = 2, SAY_DEBUG = 3 };

/* Writes "pieprof: ..." and a newline when `level` <= PIEPROF_LOG. Keeps errno. Not signal-safe. */
void say(enum say_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
