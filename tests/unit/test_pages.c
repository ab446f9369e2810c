/* link: -Wl,--whole-archive shim -Wl,--no-whole-archive */
/* Fresh memory: what is not there at birth and at the end is counted in whole pages; what a page costs is tried out. What has no
 * memory reads as zeros, and stays without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "gate.h"
#include "ledger/ledger.h"
#include "objects/content.h"
#include "objects/lifetime.h"
#include "objects/page_cost.h"
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

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Of a terabyte the kernel takes a second to tell: it is asked of parts, all over. */
static void test_what_is_but_reserved_is_asked_in_parts(void **state)
{
    (void)state;
    const size_t bytes = MIB << 20;
    struct db_site site = {.size_bytes = bytes};
    char *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
        skip(); /* the machine allows no such reservations */
    }
    madvise(start, bytes, MADV_NOHUGEPAGE);
    double before_s = cpu_s();
    assert_true(pages_born(&site, (uintptr_t)start, bytes));
    assert_true(cpu_s() - before_s < 0.1);
    assert_in_range(site.fresh_bytes, bytes - PAGE, bytes);
    pages_ended(&site, (uintptr_t)start);
    assert_in_range(site.untouched_bytes, bytes - PAGE, bytes);
    munmap(start, bytes);
}

static void test_large_objects_are_told_by_parts_all_over(void **state)
{
    (void)state;
    const size_t bytes = 1024 * MIB, part = 8 * MIB;
    struct db_site site = {.size_bytes = bytes};
    char *start = fresh(bytes + part), *aligned = (char *)(((uintptr_t)start + part - 1) & ~(part - 1));
    for (char *at = aligned; at < aligned + bytes; at += part) {
        touch(at, part / PAGE / 16);
    }
    assert_true(pages_born(&site, (uintptr_t)aligned, bytes));
    assert_in_range(site.fresh_bytes, bytes - bytes / 16 - PAGE, bytes - bytes / 16 + PAGE);
    munmap(start, bytes + part);
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
static void test_what_a_page_costs_is_tried_now_and_again(void **state)
{
    (void)state;
    struct db_site site = {.size_bytes = 8 * MIB};
    char *start = fresh(8 * MIB);
    page_cost_reset_child();
    assert_true(pages_born(&site, (uintptr_t)start, 8 * MIB));
    struct db_live *live = lifetime_record();
    assert_in_range(live->page_ns, 50, 100000000);
    assert_true(live->huge_page_ns == 0 || live->huge_page_ns > live->page_ns);
    live->page_ns = 0;
    for (size_t mib = 16; mib < 64; mib += 8) {
        assert_true(pages_born(&site, (uintptr_t)start, 8 * MIB));
        assert_int_equal(live->page_ns, 0);
    }
    assert_true(pages_born(&site, (uintptr_t)start, 8 * MIB));
    assert_in_range(live->page_ns, 50, 100000000);
    munmap(start, 8 * MIB);
}

/* Then pages that are not there may hold something, and all are read. */
static bool something_is_swapped_out(void)
{
    struct sysinfo machine;
    return sysinfo(&machine) != 0 || machine.freeswap != machine.totalswap;
}

static size_t pages_there(char *start, size_t bytes)
{
    static unsigned char present[4096];
    size_t count = 0;
    assert_true(bytes / PAGE <= sizeof present);
    assert_int_equal(mincore(start, bytes, present), 0);
    for (size_t i = 0; i < bytes / PAGE; i++) {
        count += present[i] & 1;
    }
    return count;
}

/* Some pages hold something, neighbours of them as well, one of them nothing but zeros. */
static void store_a_little(char *start)
{
    static const size_t pages[] = {0, 3, 4, 511, 512, 1500, 2047};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        start[pages[i] * PAGE + 100] = (char)(i == 3 ? 0 : i + 1);
    }
}

/* Of zeros the digest is the same, whether they were ever stored or not; and to ask for it gives nothing a page. */
static void test_what_has_no_memory_is_digested_as_zeros(void **state)
{
    (void)state;
    static const size_t offsets[] = {0, 16, 64, 4088};
    const size_t bytes = 8 * MIB;
    char *sparse = fresh(bytes), *dense = fresh(bytes);
    store_a_little(sparse);
    memset(dense, 0, bytes);
    store_a_little(dense);
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        uint64_t ours = 1, theirs = 2;
        size_t size_bytes = bytes - PAGE - 24;
        assert_true(content_digest((uintptr_t)sparse + offsets[i], size_bytes, &ours));
        assert_true(content_digest((uintptr_t)dense + offsets[i], size_bytes, &theirs));
        assert_true(ours == theirs);
        dense[6 * MIB] = 1;
        assert_true(content_digest((uintptr_t)dense + offsets[i], size_bytes, &theirs));
        assert_true(ours != theirs);
        dense[6 * MIB] = 0;
    }
    assert_true(pages_there(sparse, bytes) == 7 || something_is_swapped_out());
    munmap(sparse, bytes);
    munmap(dense, bytes);
}

/* The same zeros elsewhere are another content, and so is one chunk more of them. */
static void test_where_zeros_lie_matters(void **state)
{
    (void)state;
    char *start = fresh(MIB);
    uint64_t digests[3];
    start[10 * PAGE] = 1;
    assert_true(content_digest((uintptr_t)start, MIB, &digests[0]));
    assert_true(content_digest((uintptr_t)start + PAGE, MIB - PAGE, &digests[1]));
    start[11 * PAGE] = 1;
    start[10 * PAGE] = 0;
    assert_true(content_digest((uintptr_t)start, MIB, &digests[2]));
    assert_true(digests[0] != digests[1] && digests[0] != digests[2] && digests[1] != digests[2]);
    munmap(start, MIB);
}

static void test_what_has_no_memory_is_constant(void **state)
{
    (void)state;
    char *start = fresh(MIB);
    memset(start + 7 * PAGE, 0, PAGE);
    assert_true(content_is_constant((uintptr_t)start + 16, MIB - 16, 0));
    assert_false(content_is_constant((uintptr_t)start + 16, MIB - 16, 1));
    start[9 * PAGE] = 1;
    assert_false(content_is_constant((uintptr_t)start + 16, MIB - 16, 0));
    assert_true(pages_there(start, MIB) == 2 || something_is_swapped_out());
    munmap(start, MIB);
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
        cmocka_unit_test(test_what_is_but_reserved_is_asked_in_parts),
        cmocka_unit_test(test_large_objects_are_told_by_parts_all_over),
        cmocka_unit_test(test_room_for_huge_pages),
        cmocka_unit_test(test_memory_that_is_gone),
        cmocka_unit_test(test_what_has_no_memory_is_digested_as_zeros),
        cmocka_unit_test(test_where_zeros_lie_matters),
        cmocka_unit_test(test_what_has_no_memory_is_constant),
        cmocka_unit_test(test_what_a_page_costs_is_tried_now_and_again),
    };
    return cmocka_run_group_tests(tests, start, scratch_run_end);
}
