/* What the kernel tells of a process: proc(5), /proc/PID/stat. */
#ifndef PIEPROF_LAUNCHER_STAT_H
#define PIEPROF_LAUNCHER_STAT_H

#include <stddef.h>
#include <sys/types.h>

#define STAT_BYTES 1024

/*
 * Reads it into `text`, of STAT_BYTES, and returns where field 3, the state, begins: field 2, the name, is in parentheses and may hold
 * anything. NULL when it cannot be read.
 */
const char *stat_read(pid_t pid, char *text);

#endif
