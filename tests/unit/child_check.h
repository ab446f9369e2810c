/* For cases that run in a forked child: a check that fails ends it with its line. */
#ifndef PIEPROF_TESTS_CHILD_CHECK_H
#define PIEPROF_TESTS_CHILD_CHECK_H

#include <stdio.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("# line %d: %s\n", __LINE__, #condition);                                                           \
            fflush(stdout);                                                                                            \
            _exit(99);                                                                                                 \
        }                                                                                                              \
    } while (0)

#endif
