/* link: -Wl,--whole-archive shim -Wl,--no-whole-archive */
/* Anonymous mappings as the program sees them, and which of them are objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate.h"
#include "objects/object_map.h"
#include "process.h"

#define PAGE 4096u
#define BUFFER (PROT_READ | PROT_WRITE)
#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS)

static int start(void **state)
{
    (void)state;
    process_engine_on(DB_ENGINE_ACCESS);
    if (!gate_start() || !object_map_start()) {
        return -1;
    }
    gate_set_phase(GATE_OPEN);
    return 0;
}

static char *map(size_t pages, int protection, int flags)
{
    char *start = mmap(NULL, pages * PAGE, protection, flags, -1, 0);
    assert_ptr_not_equal(start, MAP_FAILED);
    return start;
}

static bool find(const void *address, struct object *object)
{
    return object_map_find((uintptr_t)address, object);
}

/* Asserts that an object of just these pages stands there, and gives its serial. */
static uint64_t assert_object(const char *start, size_t pages)
{
    struct object object;
    assert_true(find(start, &object));
    assert_ptr_equal((void *)object.start, start);
    assert_int_equal(object.size_bytes, pages * PAGE);
    return object.serial;
}

static void assert_none(const char *start, size_t pages)
{
    struct object object;
    for (size_t i = 0; i < pages; i++) {
        assert_false(find(start + i * PAGE, &object));
    }
}

static void test_lives_and_dies(void **state)
{
    (void)state;
    char *start = map(4, BUFFER, ANONYMOUS);
    assert_object(start, 4);
    assert_int_equal(munmap(start, 4 * PAGE), 0);
    assert_none(start, 4);
    start = mmap64(NULL, 5000, BUFFER, ANONYMOUS, -1, 0);
    assert_object(start, 2);
    munmap(start, 5000);
    assert_none(start, 2);
}

static void test_what_is_no_object(void **state)
{
    (void)state;
    int file = open("/dev/zero", O_RDWR);
    const struct {
        int protection, flags, file;
    } kinds[] = {
        {BUFFER, MAP_PRIVATE, file},         {PROT_NONE, ANONYMOUS, -1},
        {PROT_READ, ANONYMOUS, -1},          {BUFFER | PROT_EXEC, ANONYMOUS, -1},
        {BUFFER, ANONYMOUS | MAP_STACK, -1}, {BUFFER, ANONYMOUS | MAP_GROWSDOWN, -1},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char *start = mmap(NULL, 4 * PAGE, kinds[i].protection, kinds[i].flags, kinds[i].file, 0);
        assert_ptr_not_equal(start, MAP_FAILED);
        assert_none(start, 4);
        munmap(start, 4 * PAGE);
    }
    close(file);
}

static void test_parts_go(void **state)
{
    (void)state;
    char *start = map(16, BUFFER, ANONYMOUS);
    uint64_t serial = assert_object(start, 16);
    munmap(start, 2 * PAGE); /* the front */
    assert_none(start, 2);
    assert_int_equal(assert_object(start + 2 * PAGE, 14), serial);
    munmap(start + 14 * PAGE, 2 * PAGE); /* the back */
    assert_none(start + 14 * PAGE, 2);
    assert_int_equal(assert_object(start + 2 * PAGE, 12), serial);
    munmap(start + 6 * PAGE, PAGE); /* a hole */
    assert_none(start + 6 * PAGE, 1);
    assert_object(start + 2 * PAGE, 4);
    assert_object(start + 7 * PAGE, 7);
    munmap(start, 16 * PAGE); /* all that is left, at once */
    assert_none(start, 16);
}

static void test_what_is_protected_is_none_any_more(void **state)
{
    (void)state;
    char *start = map(8, BUFFER, ANONYMOUS);
    assert_int_equal(mprotect(start, PAGE, BUFFER), 0);
    uint64_t serial = assert_object(start, 8);
    assert_int_equal(mprotect(start + 7 * PAGE, PAGE, PROT_NONE), 0); /* a guard */
    assert_int_equal(assert_object(start, 7), serial);
    assert_int_equal(mprotect(start, 7 * PAGE, PROT_READ | PROT_EXEC), 0);
    assert_none(start, 8);
    munmap(start, 8 * PAGE);
}

static void test_mapped_over(void **state)
{
    (void)state;
    char *start = map(8, BUFFER, ANONYMOUS);
    uint64_t serial = assert_object(start, 8);
    assert_ptr_equal(mmap(start, 4 * PAGE, BUFFER, ANONYMOUS | MAP_FIXED, -1, 0), start);
    assert_true(assert_object(start, 4) > serial);
    assert_int_equal(assert_object(start + 4 * PAGE, 4), serial);
    assert_ptr_equal(mmap(start, 8 * PAGE, PROT_NONE, ANONYMOUS | MAP_FIXED, -1, 0), start);
    assert_none(start, 8);
    munmap(start, 8 * PAGE);
    start = map(8, BUFFER, ANONYMOUS);
    assert_ptr_equal(mmap(start, PAGE, BUFFER, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), MAP_FAILED);
    assert_object(start, 8);
    munmap(start, 8 * PAGE);
}

static void test_grows_moves_and_shrinks(void **state)
{
    (void)state;
    char *room = map(32, PROT_NONE, ANONYMOUS), *target = map(32, BUFFER, ANONYMOUS);
    char *start = mmap(room, 4 * PAGE, BUFFER, ANONYMOUS | MAP_FIXED, -1, 0);
    memset(start, 7, 4 * PAGE);
    uint64_t serial = assert_object(start, 4);
    munmap(room + 4 * PAGE, 28 * PAGE);
    assert_ptr_equal(mremap(start, 4 * PAGE, 8 * PAGE, 0), start);
    assert_int_equal(assert_object(start, 8), serial);
    assert_ptr_equal(mremap(start, 8 * PAGE, 3 * PAGE, 0), start);
    assert_int_equal(assert_object(start, 3), serial);
    assert_none(start + 3 * PAGE, 5);
    assert_ptr_equal(mremap(start, 3 * PAGE, 6 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, target + 10 * PAGE),
                     target + 10 * PAGE);
    assert_none(start, 3);
    assert_object(target + 10 * PAGE, 6);
    assert_int_equal(target[12 * PAGE + 1], 7);
    assert_object(target, 10);
    assert_object(target + 16 * PAGE, 16);
    munmap(target, 32 * PAGE);
    assert_none(target, 32);
}

static void test_refused_calls_change_nothing(void **state)
{
    (void)state;
    char *start = map(4, BUFFER, ANONYMOUS);
    uint64_t serial = assert_object(start, 4);
    errno = 0;
    assert_int_equal(munmap(start + 1, 4 * PAGE), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(munmap(start, 0), -1);
    assert_ptr_equal(mremap(start, 4 * PAGE, SIZE_MAX / 2, MREMAP_MAYMOVE), MAP_FAILED);
    assert_int_equal(assert_object(start, 4), serial);
    errno = 0;
    assert_ptr_equal(mmap(NULL, 0, BUFFER, ANONYMOUS, -1, 0), MAP_FAILED);
    assert_int_equal(errno, EINVAL);
    errno = EBADF;
    char *other = map(4, BUFFER, ANONYMOUS);
    munmap(other, 4 * PAGE);
    assert_int_equal(errno, EBADF);
    munmap(start, 4 * PAGE);
}

static void test_more_than_the_table_holds(void **state)
{
    (void)state;
    enum { COUNT = 1500 };
    static char *starts[COUNT];
    uint64_t dropped = process_record->dropped[DB_DROP_OBJECT_TABLE_FULL];
    for (int i = 0; i < COUNT; i++) {
        starts[i] = map(1, BUFFER, ANONYMOUS);
    }
    assert_true(process_record->dropped[DB_DROP_OBJECT_TABLE_FULL] > dropped);
    for (int i = 0; i < COUNT; i++) {
        munmap(starts[i], PAGE);
        assert_none(starts[i], 1);
    }
    char *start = map(1, BUFFER, ANONYMOUS);
    assert_object(start, 1);
    munmap(start, PAGE);
}

static void test_a_vfork_child_may_map(void **state)
{
    (void)state;
    pid_t child = vfork();
    if (child == 0) {
        void *start = mmap(NULL, 4 * PAGE, BUFFER, ANONYMOUS, -1, 0);
        _exit(start != MAP_FAILED && munmap(start, 4 * PAGE) == 0 ? 7 : 8);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 7);
}

static void *churn(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    for (int i = 0; i < 20000; i++) {
        size_t pages = 2 + (size_t)rand_r(&seed) % 6;
        char *start = mmap(NULL, pages * PAGE, BUFFER, ANONYMOUS, -1, 0);
        if (i % 2 == 0) {
            munmap(start + (--pages) * PAGE, PAGE);
        } else if (i % 3 == 0) {
            start = mremap(start, pages * PAGE, 9 * PAGE, MREMAP_MAYMOVE);
            pages = 9;
        }
        munmap(start, pages * PAGE);
    }
    return NULL;
}

/* After threads have mapped, cut and moved, nothing is left of what they bore. */
static void test_the_map_agrees_after_churn(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    char *probe = map(1, BUFFER, ANONYMOUS);
    assert_none(probe - 4096 * PAGE, 4096);
    assert_object(probe, 1);
    munmap(probe, PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lives_and_dies),
        cmocka_unit_test(test_what_is_no_object),
        cmocka_unit_test(test_parts_go),
        cmocka_unit_test(test_what_is_protected_is_none_any_more),
        cmocka_unit_test(test_mapped_over),
        cmocka_unit_test(test_grows_moves_and_shrinks),
        cmocka_unit_test(test_refused_calls_change_nothing),
        cmocka_unit_test(test_more_than_the_table_holds),
        cmocka_unit_test(test_a_vfork_child_may_map),
        cmocka_unit_test(test_the_map_agrees_after_churn),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
