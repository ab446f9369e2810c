/* link: analyzer */
/* CPython's location tables: each form of each version, tables cut short, offsets outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/line_table.h"

#define PYTHON_3_9 0x030912f0u
#define PYTHON_3_10 0x030a0df0u
#define PYTHON_3_11 0x030b02f0u

static struct line_table decoded(uint32_t version, const void *bytes, size_t length_bytes, int32_t first_line)
{
    struct line_table table;
    line_table_decode(&table, version, bytes, length_bytes, first_line);
    return table;
}

static void line_number_table_changes_the_line_after_the_address(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0, 1, 4, 2, 6, 0xff}; /* +1 at 0, +2 at 4, -1 at 10 */
    struct line_table table = decoded(PYTHON_3_9, bytes, sizeof(bytes), 10);
    const int32_t expected[] = {11, 11, 13, 13, 13, 12, 12, 12};
    for (int32_t unit = 0; unit < 8; unit++)
        assert_int_equal(line_table_find(&table, 2 * unit).line, expected[unit]);
    line_table_free(&table);
}

static void version_3_10_counts_the_length_of_entries_without_a_line(void **state)
{
    (void)state;
    const uint8_t bytes[] = {4, 1, 2, 0x80, 2, 3};
    struct line_table table = decoded(PYTHON_3_10, bytes, sizeof(bytes), 20);
    assert_int_equal(line_table_exact(&table, 2)->line, 21);
    assert_int_equal(line_table_exact(&table, 4)->line, 0);
    assert_int_equal(line_table_find(&table, 4).line, 21); /* falls back to the one before */
    assert_int_equal(line_table_exact(&table, 6)->line, 24);
    assert_null(line_table_exact(&table, 8));
    line_table_free(&table);
}

static void version_3_11_reads_each_form(void **state)
{
    (void)state;
    const uint8_t bytes[] = {
        0x80 | 1 << 3 | 1, 0x25,          /* short, 2 units: columns 10 to 15 */
        0x80 | 11 << 3,    4,    9,       /* one line on, columns 4 to 9 */
        0x80 | 13 << 3,    0x06,          /* 3 lines on, no columns */
        0x80 | 14 << 3,    0x03, 2, 8, 0, /* 1 line back, ends 2 lines below, column 7, no end column */
        0x80 | 15 << 3,                   /* no location */
        0x80 | 10 << 3,    1,    2,       /* the line counter stayed */
    };
    struct line_table table = decoded(PYTHON_3_11, bytes, sizeof(bytes), 100);
    struct line_span span = line_table_find(&table, 2);
    assert_int_equal(span.line, 100);
    assert_int_equal(span.column, 10);
    assert_int_equal(span.end_column, 15);
    span = line_table_find(&table, 4);
    assert_int_equal(span.line, 101);
    assert_int_equal(span.end_column, 9);
    span = line_table_find(&table, 6);
    assert_int_equal(span.line, 104);
    assert_int_equal(span.column, -1);
    span = line_table_find(&table, 8);
    assert_int_equal(span.line, 103);
    assert_int_equal(span.end_line, 105);
    assert_int_equal(span.column, 7);
    assert_int_equal(span.end_column, -1);
    assert_int_equal(line_table_exact(&table, 10)->line, 0);
    assert_int_equal(line_table_find(&table, 12).line, 103);
    line_table_free(&table);
}

static void outside_the_table_is_the_nearest_line(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x80 | 11 << 3, 0, 1};
    struct line_table table = decoded(PYTHON_3_11, bytes, sizeof(bytes), 7);
    assert_int_equal(line_table_find(&table, -2).line, 7); /* not yet begun: at its def */
    assert_int_equal(line_table_find(&table, 1000).line, 8);
    line_table_free(&table);
    table = decoded(PYTHON_3_11, NULL, 0, 7);
    assert_int_equal(line_table_find(&table, 4).line, 7);
    line_table_free(&table);
}

static void any_bytes_are_safe(void **state)
{
    (void)state;
    uint8_t bytes[64];
    uint32_t random = 1;
    for (unsigned round = 0; round < 30000; round++) {
        for (size_t i = 0; i < sizeof(bytes); i++) {
            random = random * 1664525u + 1013904223u;
            bytes[i] = (uint8_t)(random >> 24);
        }
        const uint32_t versions[] = {PYTHON_3_9, PYTHON_3_10, PYTHON_3_11};
        struct line_table table = decoded(versions[round % 3], bytes, round % (sizeof(bytes) + 1), (int32_t)random);
        for (int32_t offset = -4; offset < 200; offset += 3)
            assert_true(line_table_find(&table, offset).line >= 0);
        line_table_free(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_number_table_changes_the_line_after_the_address),
        cmocka_unit_test(version_3_10_counts_the_length_of_entries_without_a_line),
        cmocka_unit_test(version_3_11_reads_each_form),
        cmocka_unit_test(outside_the_table_is_the_nearest_line),
        cmocka_unit_test(any_bytes_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
