/* The launcher's parts: options, environment, the program's life, the file it left. */
#ifndef PIEPROF_LAUNCHER_H
#define PIEPROF_LAUNCHER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "pieprof/db.h"

enum { EXIT_USAGE = 2 };

struct launch {
    const char *out; /* as given: the option, PIEPROF_OUT or out.db */
    bool quiet;      /* no last line */
    bool refused;    /* a variable's value is not allowed: the program runs unprofiled */
    char **program;  /* argument vector of the program, NULL-terminated */
    char library[PATH_MAX];
    char run_name[DB_RUN_NAME_BYTES]; /* as the shim will write it into the file */
    uint64_t start_unix_ns;           /* by the clock of file times */
};

/* Parses the command line; handles --help and --version. Returns -1 to go on, else the exit status. */
int options_parse(struct launch *launch, int argc, char **argv);

/* Finds libpieprof.so next to this program or in ../lib. False after saying so on stderr. */
bool environment_find_library(struct launch *launch);

/*
 * Sets PIEPROF_OUT, PIEPROF_RUN and LD_PRELOAD for the program, and checks all of PieProf's variables as the shim will. A
 * wrong one is said once a node, PIEPROF_OFF set and `refused`. False when the program cannot be started, after saying why.
 */
bool environment_prepare(struct launch *launch);

/* True in a process that a job's launcher started as any but its first rank: one line a job is enough. */
bool environment_is_later_rank(void);

/*
 * Runs the program, passes signals on, stops and goes on with it, waits. Returns its wait status, or -1 after saying on
 * stderr why it could not be started. All signals stay blocked.
 */
int child_run(char **program);

/* Ends the launcher as the program ended: same exit status, or the same signal without a second core dump. */
_Noreturn void child_die_alike(int status);

/* Says on stderr which file the run is in and how to read it, or that nothing was recorded since the start. */
void outcome_say(const struct launch *launch);

#endif
