/* The launcher's command line. Options stand for variables, and their values are what those can have. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "launcher/launcher.h"
#include "pieprof/version.h"
#include "say.h"

enum { OPTION_VERSION = 256, OPTION_RATE, OPTION_BUDGET, OPTION_ENGINES, OPTION_EVENTS, OPTION_MAX_SIZE, OPTION_LOG };

static const char help[] = "usage: pieprof [options] -- python train.py ...\n"
                           "Runs the program and records which of its lines do redundant work.\n"
                           "\n"
                           "  -o, --out FILE      file to write (PIEPROF_OUT, default out.db)\n"
                           "  --rate HZ           samples per CPU-second, 1-10000 (PIEPROF_RATE, default 250)\n"
                           "  --budget PERCENT    CPU time the profiler may use, 0.1-100 (PIEPROF_BUDGET, default 2)\n"
                           "  --engines LIST      time,access,replica,transfer or all (PIEPROF_ENGINES, default all)\n"
                           "  --events LIST       PAPI events to count (PIEPROF_EVENTS)\n"
                           "  --max-size SIZE     bound of the file, e.g. 64M (PIEPROF_MAX_SIZE, default 256M)\n"
                           "  --log LEVEL         quiet, error, info or debug (PIEPROF_LOG, default error)\n"
                           "  -h, --help          this text\n"
                           "  --version           version\n"
                           "\n"
                           "The exit status is the program's. Read the file with: pieprof-report FILE\n";

static const struct option options[] = {
    {"out", required_argument, NULL, 'o'},
    {"rate", required_argument, NULL, OPTION_RATE},
    {"budget", required_argument, NULL, OPTION_BUDGET},
    {"engines", required_argument, NULL, OPTION_ENGINES},
    {"events", required_argument, NULL, OPTION_EVENTS},
    {"max-size", required_argument, NULL, OPTION_MAX_SIZE},
    {"log", required_argument, NULL, OPTION_LOG},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {0},
};

/* Options that stand for variables. */
static const struct {
    int option;
    const char *name, *variable;
} variables[] = {
    {'o', "-o", "PIEPROF_OUT"},
    {OPTION_RATE, "--rate", "PIEPROF_RATE"},
    {OPTION_BUDGET, "--budget", "PIEPROF_BUDGET"},
    {OPTION_ENGINES, "--engines", "PIEPROF_ENGINES"},
    {OPTION_EVENTS, "--events", "PIEPROF_EVENTS"},
    {OPTION_MAX_SIZE, "--max-size", "PIEPROF_MAX_SIZE"},
    {OPTION_LOG, "--log", "PIEPROF_LOG"},
};

/* The exit status of a launcher that was only asked for a text. */
static int options_print(const char *text)
{
    if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "pieprof: standard output could not be written: %s\n", strerror(errno));
    return EXIT_USAGE;
}

/* -1 when the value is allowed and set, else the exit status: what is typed wrong is told before anything runs. */
static int options_set(const char *name, const char *variable, const char *value)
{
    const char *allowed = config_refusal(variable, value);
    if (allowed != NULL) {
        char quoted[256];
        say_quote(quoted, sizeof quoted, value);
        fprintf(stderr, "pieprof: %s \"%s\" is not %s\n", name, quoted, allowed);
        return EXIT_USAGE;
    }
    if (setenv(variable, value, 1) == 0)
        return -1;
    fputs("pieprof: no memory for the environment\n", stderr);
    return EXIT_USAGE;
}

static int options_apply(struct launch *launch, int option)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (variables[i].option == option) {
            launch->out = option == 'o' ? optarg : launch->out;
            return options_set(variables[i].name, variables[i].variable, optarg);
        }
    }
    switch (option) {
    case 'h':
        return options_print(help);
    case OPTION_VERSION:
        return options_print("pieprof " PIEPROF_VERSION "\n");
    default:
        fputs("pieprof: try pieprof --help\n", stderr);
        return EXIT_USAGE;
    }
}

int options_parse(struct launch *launch, int argc, char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, "+o:h", options, NULL)) != -1) {
        int status = options_apply(launch, option);
        if (status >= 0)
            return status;
    }
    if (optind == argc) {
        fputs("pieprof: no program to run; usage: pieprof [options] -- python train.py\n", stderr);
        return EXIT_USAGE;
    }
    const char *level = getenv("PIEPROF_LOG");
    launch->quiet = level && strcmp(level, "quiet") == 0;
    launch->program = argv + optind;
    return -1;
}
