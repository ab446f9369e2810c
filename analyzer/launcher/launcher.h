/* The launcher's parts: options, environment, the program's life, the file it left. */
#ifndef PIEPROF_LAUNCHER_H
#define PIEPROF_LAUNCHER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "pieprof/db.h"

struct launch {
    const char *out; /* as given; NULL: PIEPROF_OUT or out.db */
    bool quiet;      /* no last line */
    char **program;  /* argument vector of the program, NULL-terminated */
    char library[PATH_MAX];
    char out_path[PATH_MAX];          /* absolute */
    char run_name[DB_RUN_NAME_BYTES]; /* empty: the job's launcher names the run */
};

/* Parses the command line; handles --help and --version. Returns -1 to go on, else the exit status. */
int options_parse(struct launch *launch, int argc, char **argv);

/* Finds libpieprof.so next to this program or in ../lib. False after saying so on stderr. */
bool environment_find_library(struct launch *launch);

/* Sets PIEPROF_OUT, PIEPROF_RUN and LD_PRELOAD for the program. False after saying why on stderr. */
bool environment_prepare(struct launch *launch);

/* True in a process that a job's launcher started as any but its first rank: one line a job is enough. */
bool environment_is_later_rank(void);

/*
 * Runs the program in a process group of its own, in the foreground when the launcher is; passes signals on; waits.
 * Returns its wait status, or -1 after saying on stderr why it could not be started. *pid is its process.
 */
int child_run(char **program, pid_t *pid);

/* Ends the launcher as the program ended: same exit status, or the same signal without a second core dump. */
_Noreturn void child_die_alike(int status);

/* Says on stderr which file the run is in and how to read it. */
void outcome_say(const struct launch *launch, pid_t pid);

#endif
