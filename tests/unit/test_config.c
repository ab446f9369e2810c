/* link: shim */
/* The environment's variables: what is taken, what is refused and in which words, and how a run gets its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "run_name.h"
#include "say.h"

static const char *const variables[] = {
    "PIEPROF_OUT",         "PIEPROF_RUN",    "PIEPROF_RATE",         "PIEPROF_BUDGET",  "PIEPROF_MAX_SIZE",
    "PIEPROF_ENGINES",     "PIEPROF_EVENTS", "PIEPROF_DIGEST",       "PIEPROF_CONTENT", "PIEPROF_FP_TOLERANCE",
    "PIEPROF_OBJECT_MIN",  "PIEPROF_LOG",    "PMIX_NAMESPACE",       "SLURM_JOB_ID",    "SLURM_STEP_ID",
    "TORCHELASTIC_RUN_ID", "RANK",           "OMPI_COMM_WORLD_RANK", "PMI_RANK",        "SLURM_PROCID"};

static int forget_environment(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        unsetenv(variables[i]);
    }
    memset(&config, 0, sizeof config);
    config.log_level = SAY_ERROR;
    return 0;
}

/* Whether the variable's value is taken, and what was said on stderr. */
static bool read_with(const char *name, const char *value, char *said, size_t capacity)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        say_start();
        setenv(name, value, 1);
        _exit(config_read() ? 0 : 1);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], said, capacity - 1);
    said[length < 0 ? 0 : length] = '\0';
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 0;
}

static void assert_taken(const char *name, const char *value)
{
    char said[8192];
    assert_true(read_with(name, value, said, sizeof said));
    assert_string_equal(said, "");
}

static void assert_refused(const char *name, const char *value, const char *line)
{
    char said[8192];
    assert_false(read_with(name, value, said, sizeof said));
    assert_string_equal(said, line);
}

static void test_defaults(void **state)
{
    (void)state;
    char directory[4096], expected[4200];
    assert_true(config_read());
    assert_non_null(getcwd(directory, sizeof directory));
    snprintf(expected, sizeof expected, "%s/out.db", directory);
    assert_string_equal(config.out_path, expected);
    assert_int_equal(config.rate_hz, 250);
    assert_true(config.budget_percent == 2);
    assert_true(config.fp_tolerance == 0);
    assert_int_equal(config.max_size_bytes, 256u << 20);
    assert_int_equal(config.object_min_bytes, 1024);
    assert_int_equal(config.event_count, 0);
    assert_int_equal(config.content, CONFIG_CONTENT_OFF);
    assert_int_equal(config.log_level, SAY_ERROR);
    for (size_t i = 0; i < DB_ENGINE_COUNT; i++) {
        assert_true(config.engines[i]);
    }
}

static void test_values(void **state)
{
    (void)state;
    setenv("PIEPROF_OUT", "/tmp/a b.db", 1);
    setenv("PIEPROF_RATE", "10000", 1);
    setenv("PIEPROF_BUDGET", "0.25", 1);
    setenv("PIEPROF_MAX_SIZE", "3MiB", 1);
    setenv("PIEPROF_ENGINES", "access,time", 1);
    setenv("PIEPROF_EVENTS", "PAPI_TOT_INS,perf::CYCLES", 1);
    setenv("PIEPROF_LOG", "debug", 1);
    setenv("PIEPROF_FP_TOLERANCE", "2.5E-03", 1);
    assert_true(config_read());
    assert_true(config.fp_tolerance > 2.499e-3 && config.fp_tolerance < 2.501e-3);
    assert_string_equal(config.out_path, "/tmp/a b.db");
    assert_int_equal(config.rate_hz, 10000);
    assert_true(config.budget_percent == 0.25);
    assert_int_equal(config.max_size_bytes, 3u << 20);
    assert_true(config.engines[DB_ENGINE_TIME] && config.engines[DB_ENGINE_ACCESS]);
    assert_false(config.engines[DB_ENGINE_REPLICA] || config.engines[DB_ENGINE_TRANSFER]);
    assert_int_equal(config.event_count, 2);
    assert_string_equal(config.events[1], "perf::CYCLES");
    assert_int_equal(config.log_level, SAY_DEBUG);
}

static void test_edges_taken(void **state)
{
    (void)state;
    assert_taken("PIEPROF_RATE", "1");
    assert_taken("PIEPROF_BUDGET", "0.1");
    assert_taken("PIEPROF_BUDGET", "100");
    assert_taken("PIEPROF_MAX_SIZE", "1M");
    assert_taken("PIEPROF_MAX_SIZE", "8GiB");
    assert_taken("PIEPROF_MAX_SIZE", "1048576");
    assert_taken("PIEPROF_OBJECT_MIN", "1K");
    assert_taken("PIEPROF_OBJECT_MIN", "64KiB");
    assert_taken("PIEPROF_OBJECT_MIN", "4096");
    assert_taken("PIEPROF_ENGINES", "all");
    assert_taken("PIEPROF_EVENTS", "");
    assert_taken("PIEPROF_DIGEST", "sampled");
    assert_taken("PIEPROF_DIGEST", "full");
    assert_taken("PIEPROF_FP_TOLERANCE", "0");
    assert_taken("PIEPROF_FP_TOLERANCE", "1");
    assert_taken("PIEPROF_FP_TOLERANCE", "0.25");
    assert_taken("PIEPROF_FP_TOLERANCE", "1e-6");
    assert_taken("PIEPROF_FP_TOLERANCE", "2.5E-03");
    assert_taken("PIEPROF_CONTENT", "0");
    assert_taken("PIEPROF_CONTENT", "1");
    assert_taken("PIEPROF_CONTENT", "samples");
    assert_taken("PIEPROF_LOG", "quiet");
}

/* A name that its FILE.old could not have would record once and never again. */
static void test_long_names(void **state)
{
    (void)state;
    char path[300] = "somewhere/";
    char said[8192];
    memset(path + 10, 'n', 240);
    assert_taken("PIEPROF_OUT", path);
    assert_taken("PIEPROF_OUT", path + 10);
    path[250] = 'n';
    assert_false(read_with("PIEPROF_OUT", path, said, sizeof said));
    assert_non_null(strstr(said, "its name at most 240 bytes"));
}

static void test_rate_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"0", "10001", "-1", "2.5", "", " 5", "5 ", "0x10", "99999999999999999999"};
    assert_refused(
        "PIEPROF_RATE", "banana",
        "pieprof: PIEPROF_RATE=\"banana\" is not a whole number from 1 to 10000; the program runs unprofiled\n");
    static const char *const tolerances[] = {"",
                                             "-1",
                                             "1.5",
                                             "1e6",
                                             "1e",
                                             "1e-",
                                             "e-3",
                                             "1e-3x",
                                             "nan",
                                             "1e-31",
                                             "0x1p-3",
                                             "1..2",
                                             "0.00000000000000000000000001"};
    for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0]; i++) {
        char line[200];
        snprintf(line, sizeof line,
                 "pieprof: PIEPROF_FP_TOLERANCE=\"%s\" is not a number from 0 to 1 (0.001, 1e-6); the program runs "
                 "unprofiled\n",
                 tolerances[i]);
        assert_refused("PIEPROF_FP_TOLERANCE", tolerances[i], line);
    }
    assert_refused(
        "PIEPROF_OBJECT_MIN", "512",
        "pieprof: PIEPROF_OBJECT_MIN=\"512\" is not a size from 1K to 64K (a whole number, alone or with K or "
        "KiB); the program runs unprofiled\n");
    assert_refused("PIEPROF_CONTENT", "2",
                   "pieprof: PIEPROF_CONTENT=\"2\" is not 0, 1 or samples; the program runs unprofiled\n");
    assert_refused("PIEPROF_RATE", "a\n\x1b[1m\"",
                   "pieprof: PIEPROF_RATE=\"a\\x0a\\x1b[1m\\x22\" is not a whole number from 1 to 10000; the program "
                   "runs unprofiled\n");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char said[8192];
        assert_false(read_with("PIEPROF_RATE", bad[i], said, sizeof said));
    }
}

static void test_others_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
    } bad[] = {{"PIEPROF_BUDGET", "0.09"},
               {"PIEPROF_BUDGET", "101"},
               {"PIEPROF_BUDGET", "nan"},
               {"PIEPROF_BUDGET", "1e1"},
               {"PIEPROF_BUDGET", "."},
               {"PIEPROF_BUDGET", "1.2.3"},
               {"PIEPROF_MAX_SIZE", "1K"},
               {"PIEPROF_MAX_SIZE", "9G"},
               {"PIEPROF_MAX_SIZE", "1 M"},
               {"PIEPROF_MAX_SIZE", "1T"},
               {"PIEPROF_MAX_SIZE", "99999999999999999G"},
               {"PIEPROF_OBJECT_MIN", "1023"},
               {"PIEPROF_OBJECT_MIN", "65K"},
               {"PIEPROF_OBJECT_MIN", "1M"},
               {"PIEPROF_OBJECT_MIN", ""},
               {"PIEPROF_ENGINES", ""},
               {"PIEPROF_ENGINES", "time,"},
               {"PIEPROF_ENGINES", "tim"},
               {"PIEPROF_EVENTS", "a,,b"},
               {"PIEPROF_EVENTS", "a,b,c,d,e,f,g,h,i"},
               {"PIEPROF_LOG", "loud"},
               {"PIEPROF_OUT", ""},
               {"PIEPROF_OUT", "dir/"},
               {"PIEPROF_RUN", ""},
               {"PIEPROF_RUN", "a\tb"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char said[8192], start[256];
        assert_false(read_with(bad[i].name, bad[i].value, said, sizeof said));
        snprintf(start, sizeof start, "pieprof: %s=\"", bad[i].name);
        assert_memory_equal(said, start, strlen(start));
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    }
}

static void test_quiet_says_nothing(void **state)
{
    (void)state;
    char said[8192];
    setenv("PIEPROF_LOG", "quiet", 1);
    assert_false(read_with("PIEPROF_RATE", "x", said, sizeof said));
    assert_string_equal(said, "");
}

static void test_run_names(void **state)
{
    setenv("TORCHELASTIC_RUN_ID", "none", 1);
    assert_true(config_read());
    assert_int_not_equal(strncmp(config.run_name, "elastic", 7), 0);
    assert_true(strlen(config.run_name) > 8);
    forget_environment(state);
    setenv("TORCHELASTIC_RUN_ID", "abc", 1);
    assert_true(config_read());
    assert_string_equal(config.run_name, "elastic-abc");
    setenv("SLURM_JOB_ID", "12", 1);
    setenv("SLURM_STEP_ID", "3", 1);
    run_name_derive();
    assert_string_equal(config.run_name, "slurm-12.3");
    setenv("PMIX_NAMESPACE", "job@1", 1);
    run_name_derive();
    assert_string_equal(config.run_name, "pmix-job@1");
    setenv("PIEPROF_RUN", "mine", 1);
    assert_true(config_read());
    assert_string_equal(config.run_name, "mine");
}

static void test_ranks(void **state)
{
    (void)state;
    assert_int_equal(run_name_rank(), -1);
    setenv("RANK", "5", 1);
    assert_int_equal(run_name_rank(), 5);
    setenv("SLURM_PROCID", "x", 1);
    assert_int_equal(run_name_rank(), 5);
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    assert_int_equal(run_name_rank(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_defaults, forget_environment),
        cmocka_unit_test_setup(test_values, forget_environment),
        cmocka_unit_test_setup(test_edges_taken, forget_environment),
        cmocka_unit_test_setup(test_long_names, forget_environment),
        cmocka_unit_test_setup(test_rate_refused, forget_environment),
        cmocka_unit_test_setup(test_others_refused, forget_environment),
        cmocka_unit_test_setup(test_quiet_says_nothing, forget_environment),
        cmocka_unit_test_setup(test_run_names, forget_environment),
        cmocka_unit_test_setup(test_ranks, forget_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
