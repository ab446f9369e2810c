/* link: -Wl,--whole-archive shim -Wl,--no-whole-archive */
/* The malloc family as the program sees it, and which of its buffers become objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "gate.h"
#include "objects/bootstrap.h"
#include "objects/hooks_malloc.h"
#include "objects/object_map.h"
#include "process.h"
#include "stack/module.h"

#pragma GCC diagnostic ignored "-Wuse-after-free" /* a realloc that fails leaves the block alone */
#pragma GCC diagnostic ignored "-Walloc-size-larger-than="

static int start(void **state)
{
    (void)state;
    config.engines[DB_ENGINE_ACCESS] = true;
    process_engine_on(DB_ENGINE_ACCESS);
    hooks_malloc_start();
    module_scan();
    if (!gate_start() || !object_map_start()) {
        return -1;
    }
    gate_set_phase(GATE_OPEN);
    return 0;
}

static bool is_object(const void *block)
{
    struct object object;
    return object_map_find((uintptr_t)block, &object) && object.start == (uintptr_t)block;
}

static void assert_lives_and_dies(void *block)
{
    assert_non_null(block);
    assert_true(is_object(block));
    uintptr_t where = (uintptr_t)block;
    free(block);
    assert_false(is_object((void *)where));
}

static void test_every_function_bears_objects(void **state)
{
    (void)state;
    void *block = NULL;
    assert_lives_and_dies(malloc(1024));
    assert_lives_and_dies(calloc(2, 512));
    assert_lives_and_dies(realloc(NULL, 5000));
    assert_lives_and_dies(reallocarray(NULL, 10, 500));
    assert_lives_and_dies(aligned_alloc(64, 4096));
    assert_lives_and_dies(memalign(256, 4096));
    assert_lives_and_dies(valloc(4096));
    assert_lives_and_dies(pvalloc(100));
    assert_int_equal(posix_memalign(&block, 64, 1 << 20), 0);
    assert_lives_and_dies(block);
}

static void test_small_buffers_are_no_objects(void **state)
{
    (void)state;
    char *small = calloc(1, 900);
    assert_false(is_object(small));
    uint64_t before = process_record->objects;
    for (int i = 0; i < 1000; i++) {
        free(malloc(64));
    }
    assert_int_equal(process_record->objects, before);
    free(small);
}

/* By how much libc rounds up depends on what lies beside: it must not decide what is counted. */
static void test_what_was_asked_for_decides_not_what_was_given(void **state)
{
    (void)state;
    enum { KEPT = 64, ROUNDS = 20000 };
    void *kept[KEPT] = {NULL};
    size_t generous = 0;
    uint64_t before = process_record->objects;
    for (unsigned i = 0; i < ROUNDS; i++) {
        void **place = &kept[i * 2654435761u >> 26];
        free(*place);
        assert_int_equal(posix_memalign(place, 64, 700 + i * 40503u % 324), 0);
        generous += malloc_usable_size(*place) >= OBJECT_MIN_BYTES;
    }
    for (unsigned i = 0; i < KEPT; i++) {
        free(kept[i]);
    }
    assert_true(generous > 0);
    assert_int_equal(process_record->objects, before);
}

static void test_errors_are_libcs(void **state)
{
    (void)state;
    void *block = (void *)1;
    volatile size_t huge = SIZE_MAX / 2;
    errno = 0;
    assert_null(malloc(huge));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(calloc(huge, 4));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(reallocarray(NULL, huge, 4));
    assert_int_equal(errno, ENOMEM);
    assert_int_equal(posix_memalign(&block, 3, 64), EINVAL);
    errno = EBADF;
    free(malloc(1 << 20));
    assert_int_equal(errno, EBADF);
}

static void test_realloc_moves_keeps_and_fails(void **state)
{
    (void)state;
    struct object before, after;
    char *block = malloc(4096);
    memset(block, 7, 4096);
    assert_true(object_map_find((uintptr_t)block, &before));
    volatile size_t huge = SIZE_MAX / 2;
    assert_null(realloc(block, huge));
    assert_true(object_map_find((uintptr_t)block, &after));
    assert_int_equal(after.serial, before.serial);

    char *moved = realloc(block, 100000);
    assert_true(is_object(moved) && moved[4095] == 7);
    assert_true(object_map_find((uintptr_t)moved, &after));
    assert_true(after.serial > before.serial || moved == block);

    char *shrunk = realloc(moved, 100);
    assert_false(is_object(shrunk));
    assert_int_equal(shrunk[99], 7);
    char *grown = realloc(shrunk, 2000);
    assert_true(is_object(grown));
    assert_null(realloc(grown, 0));
}

/* Of C23; what glibc has them declare is for compilers that know it. */
void free_sized(void *block, size_t bytes);
void free_aligned_sized(void *block, size_t alignment, size_t bytes);

static void test_sized_functions_end_objects(void **state)
{
    (void)state;
    void *block = malloc(5000);
    assert_true(is_object(block));
    free_sized(block, 5000);
    assert_false(is_object(block));
    block = aligned_alloc(64, 6400);
    assert_true(is_object(block));
    free_aligned_sized(block, 64, 6400);
    assert_false(is_object(block));
}

static void test_reallocarray_ends_one_object_and_bears_another(void **state)
{
    (void)state;
    struct object before, after;
    char *block = malloc(4096),
         *behind = malloc(4096); /* glibc 2.41 would let the last one of the heap grow in place */
    memset(block, 7, 4096);
    assert_true(object_map_find((uintptr_t)block, &before));
    char *grown = reallocarray(block, 300, 1000);
    assert_true(is_object(grown) && grown[4095] == 7);
    assert_true(object_map_find((uintptr_t)grown, &after));
    assert_true(after.serial > before.serial && after.size_bytes >= 300000);
    assert_true(grown != block && !is_object(block));
    free(grown);
    free(behind);
}

/* PIEPROF_OBJECT_MIN: what is smaller is none, however it is made, and an object that becomes smaller is none any more. */
static void test_the_smallest_object_is_as_asked_for(void **state)
{
    (void)state;
    config.object_min_bytes = 4096;
    char *small = malloc(4095), *large = malloc(4096), *zeroed = calloc(5, 1000);
    assert_false(is_object(small));
    assert_true(is_object(large) && is_object(zeroed));
    small = realloc(small, 8000);
    assert_true(is_object(small));
    char *shrunk = realloc(large, 4000);
    assert_false(is_object(shrunk));
    config.object_min_bytes = DB_OBJECT_MIN_BYTES;
    shrunk = realloc(shrunk, 4001);
    assert_true(is_object(shrunk));
    free(small);
    free(shrunk);
    free(zeroed);
}

static void *made_meanwhile;

static int compare(const void *one, const void *other)
{
    made_meanwhile = made_meanwhile != NULL ? made_meanwhile : malloc(4096);
    return *(const char *)one - *(const char *)other;
}

/* What the C library allocates for itself goes to the kernel and comes from it unseen; what it is asked for, or its callbacks, does not. */
static void test_the_c_librarys_own_buffers_are_no_objects(void **state)
{
    (void)state;
    FILE *stream = fopen("/dev/null", "w");
    assert_non_null(stream);
    assert_int_equal(fputc('x', stream), 'x');
    const char *buffer = stream->_IO_buf_base;
    assert_true(malloc_usable_size((void *)(uintptr_t)buffer) >= OBJECT_MIN_BYTES);
    assert_false(is_object(buffer));
    fclose(stream);

    char text[4096], letters[] = "cab";
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    char *copy = strdup(text);
    assert_false(is_object(copy));
    copy = realloc(copy, 5000);
    assert_true(is_object(copy));
    free(copy);

    qsort(letters, 3, 1, compare);
    assert_string_equal(letters, "abc");
    assert_lives_and_dies(made_meanwhile);
}

static void test_no_objects_without_an_engine_that_asks(void **state)
{
    (void)state;
    process_engine_skip(DB_ENGINE_ACCESS, "test");
    void *block = malloc(4096);
    assert_false(is_object(block));
    process_engine_on(DB_ENGINE_ACCESS);
    free(block);
}

static void test_early_memory_can_be_given_back_and_grown(void **state)
{
    (void)state;
    char *early = bootstrap_allocate(100, 0), *aligned = bootstrap_allocate(10, 256);
    assert_int_equal((uintptr_t)early % 16, 0);
    assert_int_equal((uintptr_t)aligned % 256, 0);
    strcpy(early, "kept");
    char *grown = realloc(early, 100000);
    assert_string_equal(grown, "kept");
    assert_false(bootstrap_owns(grown));
    free(grown);
    free(aligned);
    assert_null(bootstrap_allocate(1 << 20, 0));
}

static void *churn(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    void *blocks[64] = {NULL};
    for (int i = 0; i < 100000; i++) {
        size_t slot = (size_t)rand_r(&seed) % 64;
        size_t bytes = (size_t)rand_r(&seed) % 6000;
        if (i % 3 == 0) {
            blocks[slot] = realloc(blocks[slot], bytes + 1);
        } else {
            free(blocks[slot]);
            blocks[slot] = malloc(bytes);
        }
    }
    for (size_t i = 0; i < 64; i++) {
        free(blocks[i]);
    }
    return NULL;
}

/* After threads have allocated, moved and freed, nothing is left of what they bore. */
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
    void *probe = malloc(2048);
    uintptr_t base = (uintptr_t)probe & ~(uintptr_t)0xfffff;
    for (uintptr_t at = base; at < base + (1 << 20); at += 512) {
        struct object object;
        assert_true(!object_map_find(at, &object) || object.start == (uintptr_t)probe);
    }
    free(probe);
}

static double pair_ns(size_t bytes, void *(*allocate)(size_t), void (*release)(void *))
{
    enum { ROUNDS = 2000000 };
    struct timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    for (int i = 0; i < ROUNDS; i++) {
        void *volatile block = allocate(bytes);
        release(block);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    return ((double)(after.tv_sec - before.tv_sec) * 1e9 + (double)(after.tv_nsec - before.tv_nsec)) / ROUNDS;
}

void *__libc_malloc(size_t bytes);
void __libc_free(void *block);

/* Cost is printed, and bounded loosely: the machine may be busy. */
static void test_cost(void **state)
{
    (void)state;
    double best[2][2] = {{1e9, 1e9}, {1e9, 1e9}};
    const size_t sizes[2] = {64, 4096};
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 2; i++) {
            double bare = pair_ns(sizes[i], __libc_malloc, __libc_free), hooked = pair_ns(sizes[i], malloc, free);
            best[i][0] = bare < best[i][0] ? bare : best[i][0];
            best[i][1] = hooked < best[i][1] ? hooked : best[i][1];
        }
    }
    for (int i = 0; i < 2; i++) {
        print_message("malloc and free of %zu bytes: %.1f ns, %.1f ns with the hooks\n", sizes[i], best[i][0],
                      best[i][1]);
    }
    assert_true(best[0][1] - best[0][0] < 20);
    assert_true(best[1][1] - best[1][0] < 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function_bears_objects),
        cmocka_unit_test(test_small_buffers_are_no_objects),
        cmocka_unit_test(test_what_was_asked_for_decides_not_what_was_given),
        cmocka_unit_test(test_errors_are_libcs),
        cmocka_unit_test(test_realloc_moves_keeps_and_fails),
        cmocka_unit_test(test_sized_functions_end_objects),
        cmocka_unit_test(test_reallocarray_ends_one_object_and_bears_another),
        cmocka_unit_test(test_the_smallest_object_is_as_asked_for),
        cmocka_unit_test(test_the_c_librarys_own_buffers_are_no_objects),
        cmocka_unit_test(test_no_objects_without_an_engine_that_asks),
        cmocka_unit_test(test_early_memory_can_be_given_back_and_grown),
        cmocka_unit_test(test_the_map_agrees_after_churn),
        cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
