/*
 * What the tests of the ledger share: a directory of their own, and children that record into it. Each case runs in forked
 * children, for a process has one ledger; a check that fails there ends the child.
 */
#ifndef PIEPROF_TESTS_LEDGER_RUN_H
#define PIEPROF_TESTS_LEDGER_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_check.h"
#include "config.h"
#include "ledger/ledger.h"
#include "process.h"
#include "say.h"

static char directory[64];
static char said[8192];

static inline int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/pieprof-ledger-XXXXXX");
    said[0] = '\0';
    return mkdtemp(directory) == NULL || chdir(directory) != 0;
}

static inline int remove_directory(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return chdir("/") != 0 || system(command) != 0;
}

static inline void configure(const char *run, const char *max_size)
{
    setenv("PIEPROF_RUN", run, 1);
    setenv("PIEPROF_MAX_SIZE", max_size, 1);
    CHECK(config_read());
}

static inline pid_t start_child(void (*body)(void), const char *run, const char *max_size)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int descriptor = open("said", O_WRONLY | O_CREAT | O_APPEND, 0600);
        dup2(descriptor, STDERR_FILENO);
        close(descriptor);
        say_start();
        configure(run, max_size);
        body();
        _exit(0);
    }
    return child;
}

static inline void finish_child(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    FILE *file = fopen("said", "r");
    size_t length = file != NULL ? fread(said, 1, sizeof said - 1, file) : 0;
    said[length] = '\0';
    if (file != NULL) {
        fclose(file);
        unlink("said");
    }
}

static inline void in_child(void (*body)(void), const char *run)
{
    finish_child(start_child(body, run, "4M"));
}

static inline void put_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static inline struct db_header header_of(const char *name)
{
    struct db_header header = {0};
    FILE *file = fopen(name, "r");
    if (file != NULL) {
        (void)!fread(&header, sizeof header, 1, file);
        fclose(file);
    }
    return header;
}

static inline void open_and_record(void)
{
    CHECK(ledger_open());
    CHECK(process_begin());
    process_ran_python();
    process_finish(DB_END_EXIT);
}

#endif
