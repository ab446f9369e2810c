/* Tells signals that the kernel or a process sent to the launcher's whole group from those for the launcher alone. */
#ifndef PIEPROF_LAUNCHER_GROUP_H
#define PIEPROF_LAUNCHER_GROUP_H

#include <stdbool.h>

/*
 * Starts the witness: a process of the group that blocks every signal and so keeps pending whatever the group is sent.
 * The caller must have blocked all signals. Without one (no process, no /proc) group_was_sent() is always false.
 */
void group_watch(void);

/* True when `signal_number`, which the launcher has just taken, went to the whole group. Forgets it. */
bool group_was_sent(int signal_number);

/* Ends the witness. */
void group_unwatch(void);

#endif
