/* link: -Wl,--whole-archive shim -Wl,--no-whole-archive */
/* Fresh memory: what is not there at birth and at the end is counted in whole pages; what a page costs is tried out once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"
#include "gate.h"
#include "ledger/ledger.h"
#include "objects/lifetime.h"
#include "objects/pages.h"
#include "process.h"
#include "scratch_run.h"

#define PAGE ((size_t)4096)
#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

/* Private memory that nobody has touched, never in huge pages. */
static char *fresh(size_t bytes)
{
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(start, MAP_FAILED);
    assert_int_equal(madvise(start, bytes, MADV_NOHUGEPAGE), 0);
    return start;
}

static void touch(char *start, size_t pages)
{
    for (size_t i = 0; i < pages; i++) {
        start[i * PAGE] = 1;
    }
}

static void test_pages_that_come_are_counted(void **state)
{
    (void)state;
    struct db_site site = {.size_bytes = MIB};
    char *start = fresh(MIB);
    touch(start, 10);
    assert_true(pages_born(&site, (uintptr_t)start, MIB));
    assert_int_equal(site.pages_asked, 1);
    assert_int_equal(site.fresh_bytes, MIB - 10 * PAGE);
    touch(start, 100);
    pages_ended(&site, (uintptr_t)start);
    assert_int_equal(site.untouched_bytes, MIB - 100 * PAGE);
    munmap(start, MIB);
}

static void test_memory_that_was_there_is_not_fresh(void **state)
{
    (void)state;
    struct db_site site = {.size_bytes = MIB};
    char *start = fresh(MIB);
    touch(start, MIB / PAGE);
    assert_false(pages_born(&site, (uintptr_t)start, MIB));
    assert_int_equal(site.pages_asked, 1);
    assert_int_equal(site.fresh_bytes, 0);
    munmap(start, MIB);
}

/* The allocator's words stand on the first page, another object on the last. */
static void test_parts_of_pages_do_not_count(void **state)
{
    (void)state;
    struct db_site site = {.size_bytes = 200 * KIB};
    char *start = fresh(MIB);
    assert_true(pages_born(&site, (uintptr_t)start + 16, 200 * KIB));
    assert_int_equal(site.fresh_bytes, 200 * KIB - PAGE);
    munmap(start, MIB);
}

static void test_small_objects_are_not_asked(void **state)
{
    (void)state;
    struct db_site site = {.size_bytes = DB_PAGES_MIN_BYTES - 1};
    char *start = fresh(MIB);
    assert_false(pages_born(&site, (uintptr_t)start, DB_PAGES_MIN_BYTES - 1));
    assert_int_equal(site.pages_asked, 0);
    munmap(start, MIB);
}

static void test_objects_larger_than_one_question(void **state)
{
    (void)state;
    size_t bytes = 50 * MIB + 3 * PAGE;
    struct db_site site = {.size_bytes = bytes};
    char *start = fresh(bytes);
    touch(start + 20 * MIB, 7);
    assert_true(pages_born(&site, (uintptr_t)start, bytes));
    assert_int_equal(site.fresh_bytes, bytes - 7 * PAGE);
    munmap(start, bytes);
}

/* Only where it is aligned, and nothing of it is there, can a huge page come: what lies before and behind comes in small ones. */
static void test_room_for_huge_pages(void **state)
{
    (void)state;
    struct db_site site = {.size_bytes = 9 * MIB}, touched = {.size_bytes = 9 * MIB};
    char *start = fresh(16 * MIB), *aligned = (char *)(((uintptr_t)start + 2 * MIB - 1) & ~(2 * MIB - 1));
    assert_true(pages_born(&site, (uintptr_t)aligned + PAGE, 9 * MIB));
    assert_int_equal(site.fresh_bytes, 9 * MIB);
    assert_int_equal(site.huge_bytes, 6 * MIB);
    touch(aligned + 5 * MIB, 1);
    assert_true(pages_born(&touched, (uintptr_t)aligned, 9 * MIB));
    assert_int_equal(touched.fresh_bytes, 9 * MIB - PAGE);
    assert_int_equal(touched.huge_bytes, 6 * MIB);
    munmap(start, 16 * MIB);
}

/* What is gone by then says nothing. */
static void test_memory_that_is_gone(void **state)
{
    (void)state;
    struct db_site site = {.size_bytes = MIB};
    char *start = fresh(MIB);
    munmap(start, MIB);
    assert_false(pages_born(&site, (uintptr_t)start, MIB));
    pages_ended(&site, (uintptr_t)start);
    assert_int_equal(site.fresh_bytes, 0);
    assert_int_equal(site.untouched_bytes, 0);
}

/* No page comes for less than a hundred nanoseconds, nor takes a tenth of a second. */
static void test_what_a_page_costs_is_tried_once(void **state)
{
    (void)state;
    struct db_site site = {.size_bytes = 8 * MIB};
    char *start = fresh(8 * MIB);
    assert_true(pages_born(&site, (uintptr_t)start, 8 * MIB));
    const struct db_live live = *lifetime_record();
    assert_in_range(live.page_ns, 50, 100000000);
    assert_true(live.huge_page_ns == 0 || live.huge_page_ns > live.page_ns);
    assert_true(pages_born(&site, (uintptr_t)start, 8 * MIB));
    assert_int_equal(lifetime_record()->page_ns, live.page_ns);
    assert_int_equal(lifetime_record()->huge_page_ns, live.huge_page_ns);
    munmap(start, 8 * MIB);
}

static int start(void **state)
{
    (void)state;
    if (!scratch_run_begin() || !config_read() || !gate_start() || !ledger_open()) {
        return 1;
    }
    ledger_reserve();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_that_come_are_counted),
        cmocka_unit_test(test_memory_that_was_there_is_not_fresh),
        cmocka_unit_test(test_parts_of_pages_do_not_count),
        cmocka_unit_test(test_small_objects_are_not_asked),
        cmocka_unit_test(test_objects_larger_than_one_question),
        cmocka_unit_test(test_room_for_huge_pages),
        cmocka_unit_test(test_memory_that_is_gone),
        cmocka_unit_test(test_what_a_page_costs_is_tried_once),
    };
    return cmocka_run_group_tests(tests, start, scratch_run_end);
}
