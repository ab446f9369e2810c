/* link: shim */
/* Which file a run gets: made, joined, moved aside, or refused. */
#include "ledger_run.h"

#include <glob.h>

static void open_refused(void)
{
    CHECK(!ledger_open());
}

static void test_create(void **state)
{
    (void)state;
    in_child(open_and_record, "a");
    struct stat status;
    assert_int_equal(stat("out.db", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    struct db_header header = header_of("out.db");
    assert_memory_equal(header.magic, DB_MAGIC, DB_MAGIC_BYTES);
    assert_string_equal(header.run_name, "a");
    assert_int_equal(header.processes, 1);
    assert_int_equal(header.extents_limit, (4u * 1048576 - DB_HEADER_BYTES) / DB_EXTENT_BYTES);
    assert_string_equal(said, "");
}

static void test_same_name_joins(void **state)
{
    (void)state;
    in_child(open_and_record, "a");
    in_child(open_and_record, "a");
    assert_int_equal(header_of("out.db").processes, 2);
    assert_int_not_equal(access("out.db.old", F_OK), 0);
}

static void test_other_name_rotates(void **state)
{
    (void)state;
    in_child(open_and_record, "a");
    in_child(open_and_record, "b");
    assert_string_equal(header_of("out.db").run_name, "b");
    assert_string_equal(header_of("out.db.old").run_name, "a");
    assert_string_equal(said, "");
}

/* The one file of that pattern still holds what put_file wrote. */
static void assert_kept(const char *pattern, const char *expected)
{
    char text[64] = "";
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    FILE *file = fopen(found.gl_pathv[0], "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    globfree(&found);
    assert_string_equal(text, expected);
}

static void test_foreign_old_file_is_kept_at_later_runs(void **state)
{
    (void)state;
    put_file("out.db.old", "my only copy\n");
    in_child(open_and_record, "a");
    assert_kept("out.db.old", "my only copy\n");
    in_child(open_and_record, "b");
    assert_string_equal(header_of("out.db.old").run_name, "a");
    assert_kept("out.db.[0-9]*.old", "my only copy\n");
    in_child(open_and_record, "c");
    assert_string_equal(header_of("out.db.old").run_name, "b");
    assert_kept("out.db.[0-9]*.old", "my only copy\n");
}

static void test_longest_name_makes_way_like_any(void **state)
{
    (void)state;
    char name[241], old[256];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(old, sizeof old, "%s.old", name);
    setenv("PIEPROF_OUT", name, 1);
    put_file(old, "my only copy\n");
    in_child(open_and_record, "a");
    in_child(open_and_record, "b");
    unsetenv("PIEPROF_OUT");
    assert_string_equal(said, "");
    assert_string_equal(header_of(name).run_name, "b");
    assert_string_equal(header_of(old).run_name, "a");
    assert_kept("nn*.[0-9]*.old", "my only copy\n");
}

static void test_foreign_file_is_kept(void **state)
{
    (void)state;
    put_file("out.db", "my only copy\n");
    in_child(open_and_record, "a");
    assert_kept("out.db.old", "my only copy\n");
    assert_non_null(strstr(said, "out.db.old"));
}

/* The pipe by which a test tells the holder of a file to end, and hears that it has it. */
static int go[2], ready[2];

static void hold(bool close_everything)
{
    char byte = 0;
    CHECK(ledger_open());
    CHECK(process_begin());
    if (close_everything) {
        for (int descriptor = 100; descriptor < 200; descriptor++) {
            close(descriptor);
        }
    }
    CHECK(write(ready[1], &byte, 1) == 1);
    CHECK(read(go[0], &byte, 1) == 1);
    process_finish(DB_END_EXIT);
}

static void hold_by_lock(void)
{
    hold(false);
}

static void hold_by_life(void)
{
    hold(true);
}

static void step_aside(void)
{
    CHECK(ledger_open());
    char expected[64];
    snprintf(expected, sizeof expected, "out.%d.db", getpid());
    CHECK(strcmp(strrchr(config.out_path, '/') + 1, expected) == 0);
}

static void test_live_run_is_left_alone(void **state)
{
    (void)state;
    void (*const holders[])(void) = {hold_by_lock, hold_by_life};
    for (size_t i = 0; i < 2; i++) {
        char byte = 0;
        assert_int_equal(pipe(go) | pipe(ready), 0);
        pid_t holder = start_child(holders[i], "a", "4M");
        assert_int_equal(read(ready[0], &byte, 1), 1);
        in_child(step_aside, i == 0 ? "b" : "c");
        assert_non_null(strstr(said, "a live run holds"));
        assert_int_equal(write(go[1], &byte, 1), 1);
        finish_child(holder);
        assert_string_equal(header_of("out.db").run_name, "a");
        assert_int_not_equal(access("out.db.old", F_OK), 0);
        unlink("out.db");
    }
}

static void test_symlink_is_refused(void **state)
{
    (void)state;
    put_file("victim", "somebody's\n");
    assert_int_equal(symlink("victim", "out.db"), 0);
    in_child(open_refused, "a");
    assert_non_null(strstr(said, "it is a symbolic link; the program runs unprofiled\n"));
    struct stat status;
    assert_int_equal(stat("victim", &status), 0);
    assert_int_equal(status.st_size, strlen("somebody's\n"));
}

static void test_other_things_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("out.db", 0600), 0);
    in_child(open_refused, "a");
    assert_non_null(strstr(said, "it is not a regular file"));
    unlink("out.db");
    mkdir("out.db", 0700);
    in_child(open_refused, "a");
    assert_non_null(strstr(said, "it is not a regular file"));
}

static void become_nobody_and_open(void)
{
    CHECK(setuid(65534) == 0);
    CHECK(!ledger_open());
}

static void test_unwritable_directory(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    assert_int_equal(chmod(directory, 0755), 0);
    in_child(become_nobody_and_open, "a");
    assert_non_null(strstr(said, "Permission denied; the program runs unprofiled\n"));
    in_child(open_and_record, "a");
    in_child(become_nobody_and_open, "b");
    assert_non_null(strstr(said, "it belongs to another user"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        TEST(test_create),
        TEST(test_same_name_joins),
        TEST(test_other_name_rotates),
        TEST(test_foreign_file_is_kept),
        TEST(test_foreign_old_file_is_kept_at_later_runs),
        TEST(test_longest_name_makes_way_like_any),
        TEST(test_live_run_is_left_alone),
        TEST(test_symlink_is_refused),
        TEST(test_other_things_are_refused),
        TEST(test_unwritable_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
