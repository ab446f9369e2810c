/* What the program finds in its environment: the library, the output file, the run's name. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "launcher/launcher.h"
#include "launcher/stat.h"
#include "say.h"

static const char *const library_places[] = {"libpieprof.so", "../lib/libpieprof.so", "../lib/pieprof/libpieprof.so"};

bool environment_find_library(struct launch *launch)
{
    char here[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    if (length < 0) {
        fprintf(stderr, "pieprof: cannot read /proc/self/exe: %s\n", strerror(errno));
        return false;
    }
    here[length] = '\0';
    *strrchr(here, '/') = '\0';
    for (size_t i = 0; i < sizeof library_places / sizeof *library_places; i++) {
        char candidate[2 * PATH_MAX];
        snprintf(candidate, sizeof candidate, "%s/%s", here, library_places[i]);
        if (realpath(candidate, launch->library))
            break;
        launch->library[0] = '\0';
    }
    if (!launch->library[0]) {
        fprintf(stderr, "pieprof: libpieprof.so is neither in %s nor in %s/../lib\n", here, here);
        return false;
    }
    /* ld.so splits LD_PRELOAD at both, and knows no quoting. */
    if (strpbrk(launch->library, ": ")) {
        fprintf(stderr, "pieprof: cannot preload %s: a path with a blank or a colon\n", launch->library);
        return false;
    }
    return true;
}

/* When the parent started, in clock ticks since boot (proc(5), /proc/PID/stat, field 22); 0 when it cannot be read. */
static unsigned long long environment_parent_start_ticks(void)
{
    char text[STAT_BYTES];
    const char *field = stat_read(getppid(), text);
    for (int number = 3; field && number < 22; number++)
        field = strchr(field + 1, ' ');
    return field ? strtoull(field, NULL, 10) : 0;
}

/* Ranks whose launcher gives the job no name share a parent, which its pid and start time name. */
static void environment_name_by_parent(char *name, size_t size_bytes)
{
    snprintf(name, size_bytes, "parent-%d-%llu", (int)getppid(), environment_parent_start_ticks());
}

static bool environment_set_run(void)
{
    char name[DB_RUN_NAME_BYTES];
    /* torchrun calls a job without an id "none": no name to tell it from the next one. */
    const char *elastic = getenv("TORCHELASTIC_RUN_ID");
    bool elastic_named = elastic && strcmp(elastic, "none") != 0;
    bool slurm = getenv("SLURM_JOB_ID") && getenv("SLURM_STEP_ID");
    if (getenv("PIEPROF_RUN") || getenv("PMIX_NAMESPACE") || slurm || elastic_named)
        return true;
    if (elastic || getenv("PMI_RANK")) {
        environment_name_by_parent(name, sizeof name);
    } else {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(name, sizeof name, "pieprof-%d-%lld-%09ld", (int)getpid(), (long long)now.tv_sec, now.tv_nsec);
    }
    return setenv("PIEPROF_RUN", name, 1) == 0;
}

/* First in line: hooks of the program's own preloaded libraries (an allocator, say) are then called by the shim's. */
static bool environment_set_preload(const struct launch *launch)
{
    const char *present = getenv("LD_PRELOAD");
    if (!present || !*present)
        return setenv("LD_PRELOAD", launch->library, 1) == 0;
    char *both;
    if (asprintf(&both, "%s:%s", launch->library, present) < 0)
        return false;
    bool set = setenv("LD_PRELOAD", both, 1) == 0;
    free(both);
    return set;
}

/* True when the first of the variables that is set is not 0. */
static bool environment_rank_differs(const char *const *variables, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *rank = getenv(variables[i]);
        if (rank)
            return strcmp(rank, "0") != 0;
    }
    return false;
}

/* Of the ranks that started together on this machine, one speaks for all; so does a process of no job. */
static bool environment_is_later_local_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID",
                                            "LOCAL_RANK", "PMI_RANK"};
    return environment_rank_differs(variables, sizeof variables / sizeof *variables);
}

/* Why no file can be at the path, NULL when one can; of a file that is there the shim knows better. */
static const char *environment_why_not(void)
{
    char directory[CONFIG_PATH_BYTES];
    struct stat status;
    size_t length = (size_t)(strrchr(config.out_path, '/') + 1 - config.out_path);
    memcpy(directory, config.out_path, length);
    directory[length] = '\0';
    if (lstat(config.out_path, &status) == 0)
        return S_ISREG(status.st_mode) || S_ISLNK(status.st_mode) ? NULL : "it is not a regular file";
    return faccessat(AT_FDCWD, directory, R_OK | W_OK | X_OK, AT_EACCESS) == 0 ? NULL : strerror(errno);
}

/* Tried here so that one line says it, not one of each process. */
static bool environment_can_record(void)
{
    char quoted[CONFIG_PATH_BYTES];
    const char *why = environment_why_not();
    if (why == NULL)
        return true;
    say_quote(quoted, sizeof quoted, config.out_path);
    say(SAY_ERROR, "cannot record to \"%s\": %s; the program runs unprofiled", quoted, why);
    return false;
}

/* The shim's own reading of the variables, so that both agree on every value, the run's name and the file. */
static bool environment_check(struct launch *launch)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    launch->start_unix_ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    if (!environment_is_later_local_rank())
        say_start();
    launch->refused = !config_read() || !environment_can_record();
    if (launch->refused)
        return setenv("PIEPROF_OFF", "1", 1) == 0;
    config_tell_unknown();
    memcpy(launch->run_name, config.run_name, sizeof launch->run_name);
    /* The program may change its directory before it starts others: they must find the same file. */
    return setenv("PIEPROF_OUT", config.out_path, 1) == 0;
}

bool environment_prepare(struct launch *launch)
{
    if (!launch->out)
        launch->out = getenv("PIEPROF_OUT") ? strdup(getenv("PIEPROF_OUT")) : "out.db";
    if (launch->out && environment_set_run() && environment_check(launch) && environment_set_preload(launch))
        return true;
    fputs("pieprof: no memory for the environment\n", stderr);
    return false;
}

bool environment_is_later_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"};
    return environment_rank_differs(variables, sizeof variables / sizeof *variables);
}
