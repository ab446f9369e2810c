/* Tools that take over a process's memory and signals as thoroughly as the shim does: valgrind and the sanitizers. */
#ifndef PIEPROF_PRELOAD_RIVAL_H
#define PIEPROF_PRELOAD_RIVAL_H

/* The name of the one that runs in this process, NULL when none does. Constructor. */
const char *rival_name(void);

#endif
