/* The launcher stops with the program, and goes on with it. */
#ifndef PIEPROF_LAUNCHER_STOP_H
#define PIEPROF_LAUNCHER_STOP_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Stops the launcher until somebody continues it, or the program `pid`, which has stopped: who continues that one alone knows
 * nothing of the launcher. The caller must have blocked all signals. Without a process or /proc only the launcher's own SIGCONT ends it.
 */
void stop_with(pid_t pid);

/* Is it the SIGCONT that stop_with() sent to end the stop? It is none for the program. */
bool stop_was_ended_by(pid_t sender);

#endif
