/* link: shim */
/* The ledger: records and blobs, shortage of space, and a file that vanishes under the mapping. */
#include "ledger_run.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "ledger/map.h"

static void fill_records(void)
{
    CHECK(ledger_open());
    CHECK(process_begin());
    uint32_t id = 0;
    for (uint32_t expected = 1; expected <= 5000; expected++) {
        struct db_node *node = ledger_claim(DB_KIND_NODE, &id);
        CHECK(node != NULL && id == expected && node->published == 0 && node->value == 0);
        node->value = id;
        ledger_publish(node);
        if (expected % 1000 == 0) {
            ledger_reserve();
        }
    }
    for (id = 1; id <= 5000; id++) {
        const struct db_node *node = ledger_record(DB_KIND_NODE, id);
        CHECK(node != NULL && node->value == id && node->published == 1);
    }
    CHECK(ledger_record(DB_KIND_NODE, 0) == NULL && ledger_record(DB_KIND_NODE, 5001) == NULL);
}

static void test_records(void **state)
{
    (void)state;
    in_child(fill_records, "a");
}

static struct db_blob *blob_at(uint32_t reference)
{
    const uint64_t payload = DB_EXTENT_BYTES - sizeof(struct db_extent);
    uint64_t start = reference - 1;
    uint32_t index = ledger_map.extents[DB_KIND_BLOB][start / payload] - 1;
    return (struct db_blob *)((unsigned char *)(ledger_extent(index) + 1) + start % payload);
}

static void fill_blobs(void)
{
    static unsigned char bytes[DB_BLOB_MAX_BYTES + 1];
    memset(bytes, 'x', sizeof bytes);
    CHECK(ledger_open());
    CHECK(ledger_blob(bytes, sizeof bytes) == 0);
    CHECK(process_record->dropped[DB_DROP_BLOB_TOO_LARGE] == 1);
    uint32_t empty = ledger_blob(bytes, 0);
    uint32_t small = ledger_blob_string("hello");
    uint32_t largest = ledger_blob(bytes, DB_BLOB_MAX_BYTES);
    uint32_t next = ledger_blob_string("behind");
    CHECK(empty != 0 && small != 0 && largest != 0 && next != 0);
    CHECK(blob_at(empty)->length_bytes == 0 && blob_at(empty)->published == 1);
    CHECK(blob_at(small)->length_bytes == 5 && memcmp(blob_at(small) + 1, "hello", 5) == 0);
    CHECK(blob_at(largest)->length_bytes == DB_BLOB_MAX_BYTES &&
          memcmp(blob_at(largest) + 1, bytes, DB_BLOB_MAX_BYTES) == 0);
    CHECK(memcmp(blob_at(next) + 1, "behind", 6) == 0);
}

static void test_blobs(void **state)
{
    (void)state;
    in_child(fill_blobs, "a");
}

static void fill_to_the_limit(void)
{
    CHECK(ledger_open());
    CHECK(process_begin());
    uint32_t id, last = 0;
    struct db_node *node = NULL;
    for (uint32_t i = 0; i < 100000; i++) {
        node = ledger_claim(DB_KIND_NODE, &id);
        last = id != 0 ? id : last;
        ledger_reserve();
    }
    CHECK(node == NULL && last > 1000);
    CHECK(process_record->dropped[DB_DROP_FILE_FULL] > 0 && process_record->dropped[DB_DROP_DISK_FULL] == 0);
    struct db_node *counted = ledger_record(DB_KIND_NODE, last);
    CHECK(counted != NULL);
    counted->samples++;
    process_finish(DB_END_EXIT);
}

static void test_file_full(void **state)
{
    (void)state;
    finish_child(start_child(fill_to_the_limit, "a", "1M"));
    assert_non_null(strstr(said, "PIEPROF_MAX_SIZE"));
    struct stat status;
    assert_int_equal(stat("out.db", &status), 0);
    assert_true(status.st_size <= 1048576);
}

static void fill_little_address_space(void)
{
    const rlim_t bytes = 48u << 20;
    CHECK(setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) == 0);
    fill_to_the_limit();
}

static void test_limit_of_address_space_is_named(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    skip(); /* their shadow memory alone is beyond any limit */
#endif
    in_child(fill_little_address_space, "a");
    assert_non_null(strstr(said, "reached 3 MiB, all that the limit of address space (ulimit -v) leaves it"));
    assert_null(strstr(said, "PIEPROF_MAX_SIZE"));
}

static void fill_the_disk(void)
{
    CHECK(ledger_open());
    CHECK(process_begin());
    uint32_t id;
    for (uint32_t i = 0; i < 100000; i++) {
        ledger_claim(DB_KIND_NODE, &id);
        ledger_reserve();
    }
    CHECK(process_record->dropped[DB_DROP_DISK_FULL] > 0 && process_record->dropped[DB_DROP_FILE_FULL] == 0);
    process_finish(DB_END_EXIT);
}

static void limit_file_size(void)
{
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){600000, 600000}) == 0);
    fill_the_disk();
}

static void fill_small_file_system(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/small/out.db", directory);
    CHECK(unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    CHECK(mkdir("small", 0700) == 0 && mount("none", "small", "tmpfs", 0, "size=1m") == 0);
    strcpy(config.out_path, path);
    fill_the_disk();
}

static void test_no_sigxfsz(void **state)
{
    (void)state;
    in_child(limit_file_size, "a");
    assert_non_null(strstr(said, "no space left"));
}

static void test_file_system_full(void **state)
{
    (void)state;
    pid_t probe = fork();
    if (probe == 0) {
        _exit(unshare(CLONE_NEWNS) == 0 ? 0 : 1);
    }
    int status;
    waitpid(probe, &status, 0);
    if (status != 0) {
        skip();
    }
    in_child(fill_small_file_system, "a");
    assert_non_null(strstr(said, "no space left"));
}

static void record_in_forked_child(void)
{
    CHECK(ledger_open());
    CHECK(process_begin());
    uint32_t id;
    struct db_node *ours = ledger_claim(DB_KIND_NODE, &id);
    CHECK(ours != NULL && id == 1);
    pid_t child = fork();
    if (child == 0) {
        CHECK(process_adopt_child());
        struct db_node *theirs = ledger_claim(DB_KIND_NODE, &id);
        CHECK(theirs != NULL && id == 1 && theirs != ours);
        CHECK(process_record->published == 0 && process_record->pid == (uint32_t)getpid());
        CHECK(process_record->parent_pid == (uint32_t)getppid());
        process_ran_python();
        process_finish(DB_END_EXIT);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(process_record->pid == (uint32_t)getpid() && process_record->ended == DB_END_RUNNING);
    CHECK(ledger_map.header->processes == 2);
    process_finish(DB_END_EXIT);
    CHECK(process_record->ended == DB_END_EXIT);
}

static void test_forked_child(void **state)
{
    (void)state;
    in_child(record_in_forked_child, "a");
    assert_string_equal(said, "");
}

/* The parent took all the space: the child runs on unprofiled, and reader and user are told. */
static void refuse_forked_child(void)
{
    uint32_t id;
    CHECK(ledger_open());
    CHECK(process_begin());
    for (uint32_t i = 0; i < 100000; i++) {
        ledger_claim(DB_KIND_NODE, &id);
        ledger_reserve();
    }
    for (int i = 1; i <= 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            CHECK(!process_adopt_child());
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        CHECK(ledger_map.header->dropped_joins == (uint64_t)i);
    }
}

static void test_refused_forked_child_is_counted_and_said_once(void **state)
{
    (void)state;
    finish_child(start_child(refuse_forked_child, "a", "1M"));
    char *line = strstr(said, "has no space left for process");
    assert_non_null(line);
    assert_null(strstr(line + 1, "has no space left"));
}

/* The path leads nowhere any more, the file is where it was. With our descriptor, and with it closed by the program. */
static void record_out_of_reach(bool descriptor_closed, void (*leave)(void))
{
    CHECK(ledger_open());
    CHECK(process_begin());
    if (descriptor_closed) {
        close(ledger_map.descriptor);
    }
    leave();
    process_finish(DB_END_EXIT);
}

static void change_root(void)
{
    CHECK(mkdir("jail", 0700) == 0 && chroot("jail") == 0 && chdir("/") == 0);
}

static void give_up_privileges(void)
{
    CHECK(chmod(directory, 0700) == 0 && setuid(65534) == 0);
}

static void rename_directory(void)
{
    char elsewhere[80];
    snprintf(elsewhere, sizeof elsewhere, "%s-renamed", directory);
    CHECK(rename(directory, elsewhere) == 0);
}

static void (*way_out)(void);

static void leave_with_descriptor(void)
{
    record_out_of_reach(false, way_out);
}

static void leave_without_descriptor(void)
{
    record_out_of_reach(true, way_out);
}

static void test_file_out_of_reach_is_not_lost(void **state)
{
    (void)state;
    void (*const ways[])(void) = {rename_directory, change_root, give_up_privileges};
    for (size_t i = 0; i < (geteuid() == 0 ? 6 : 2); i++) {
        way_out = ways[i / 2];
        in_child(i % 2 == 0 ? leave_with_descriptor : leave_without_descriptor, "a");
        assert_string_equal(said, "");
        if (way_out == rename_directory) {
            char elsewhere[80];
            snprintf(elsewhere, sizeof elsewhere, "%s-renamed", directory);
            assert_int_equal(rename(elsewhere, directory), 0);
        }
        assert_int_equal(header_of("out.db").processes, 1);
        unlink("out.db");
        rmdir("jail");
    }
}

static void on_sigbus(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!ledger_repair((uintptr_t)info->si_addr)) {
        signal(number, SIG_DFL);
    }
}

static void record_into_truncated_file(void)
{
    struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
    CHECK(ledger_open());
    CHECK(process_begin());
    CHECK(truncate("out.db", 0) == 0);
    process_count(&process_record->samples, 1);
    CHECK(!ledger_is_open() && !process_adopt_child());
    process_finish(DB_END_EXIT);
}

static void record_into_removed_file(void)
{
    CHECK(ledger_open());
    CHECK(process_begin());
    CHECK(unlink("out.db") == 0);
    process_finish(DB_END_EXIT);
}

/* Emptied and grown again by somebody else: the mapping faults nowhere, yet what it says is no longer ours. */
static void reserve_in_replaced_content(void)
{
    CHECK(ledger_open());
    CHECK(process_begin());
    CHECK(truncate("out.db", 0) == 0 && truncate("out.db", 1 << 20) == 0);
    uint32_t id;
    for (int i = 0; i < 20000 && ledger_is_open(); i++) {
        ledger_claim(DB_KIND_NODE, &id);
        ledger_reserve();
    }
    CHECK(!ledger_is_open());
    process_finish(DB_END_EXIT);
}

static void test_file_lost(void **state)
{
    (void)state;
    in_child(record_into_truncated_file, "a");
    assert_non_null(strstr(said, "was cut short"));
    in_child(record_into_removed_file, "b");
    assert_non_null(strstr(said, "was removed or replaced"));
    in_child(reserve_in_replaced_content, "c");
    assert_non_null(strstr(said, "was cut short"));
}

static void find_descriptor_again(void)
{
    CHECK(ledger_open());
    int before = ledger_map.descriptor;
    CHECK(before >= 100 && (fcntl(before, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(dup2(STDERR_FILENO, before) == before);
    int after = ledger_descriptor_borrow();
    CHECK(after >= 100 && after != before);
    ledger_descriptor_return(after);
    CHECK(fcntl(after, F_GETFD) < 0);
    CHECK(fcntl(before, F_GETFD) >= 0);
}

static void test_descriptor_taken_by_the_program(void **state)
{
    (void)state;
    in_child(find_descriptor_again, "a");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        TEST(test_records),
        TEST(test_blobs),
        TEST(test_file_full),
        TEST(test_limit_of_address_space_is_named),
        TEST(test_no_sigxfsz),
        TEST(test_file_system_full),
        TEST(test_forked_child),
        TEST(test_refused_forked_child_is_counted_and_said_once),
        TEST(test_file_out_of_reach_is_not_lost),
        TEST(test_file_lost),
        TEST(test_descriptor_taken_by_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
