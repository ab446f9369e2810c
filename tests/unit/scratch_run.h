/* A run's file in a directory that goes with the test program. */
#ifndef PIEPROF_TESTS_SCRATCH_RUN_H
#define PIEPROF_TESTS_SCRATCH_RUN_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static char scratch_directory[] = "/tmp/pieprof-test-XXXXXX";

/* Before config_read(). */
static inline bool scratch_run_begin(void)
{
    char path[64];
    if (mkdtemp(scratch_directory) == NULL) {
        return false;
    }
    snprintf(path, sizeof path, "%s/out.db", scratch_directory);
    return setenv("PIEPROF_OUT", path, 1) == 0;
}

/* A teardown of cmocka's. */
static inline int scratch_run_end(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", scratch_directory);
    return system(command);
}

#endif
