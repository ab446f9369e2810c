/* link: shim */
/* The two producers of the offset struct agree; what is not a table of CPython's is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "stack/python_layout.h"

#define TABLE_WORDS 128u

/* What _PyRuntime of CPython 3.13.0 says, by byte position (pycore_runtime.h). */
static void fill_313(uint64_t *table)
{
    static const struct {
        unsigned place;
        uint64_t value;
    } facts[] = {{184, 72},  {224, 72}, {232, 8},   {240, 0}, {248, 56}, {256, 72}, {264, 70}, {280, 112}, {296, 128},
                 {304, 136}, {312, 68}, {344, 200}, {360, 8}, {520, 16}, {528, 32}, {544, 32}, {552, 16},  {560, 40}};
    memset(table, 0, TABLE_WORDS * sizeof *table);
    memcpy(table, "xdebugpy", 8);
    table[1] = 0x30d00f0;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        table[facts[i].place / 8] = facts[i].value;
    }
}

static void test_table_and_row_agree(void **state)
{
    (void)state;
    uint64_t table[TABLE_WORDS];
    struct python_layout read;
    uint32_t version = 0;
    fill_313(table);
    assert_true(python_layout_from_runtime(table, &read, &version));
    assert_int_equal(version, 0x30d00f0);
    assert_false(read.free_threaded);
    const struct python_layout *row = python_layout_row(version);
    assert_non_null(row);
    assert_memory_equal(&read, row, sizeof read);
}

static void test_refuses_what_is_no_table(void **state)
{
    (void)state;
    uint64_t table[TABLE_WORDS];
    struct python_layout layout;
    uint32_t version = 0;
    fill_313(table);
    table[0]++;
    assert_false(python_layout_from_runtime(table, &layout, &version));
    fill_313(table);
    table[1] = 0x31000f0; /* a version to come */
    assert_false(python_layout_from_runtime(table, &layout, &version));
    fill_313(table);
    table[232 / 8] = UINT64_C(1) << 40;
    assert_false(python_layout_from_runtime(table, &layout, &version));
    fill_313(table);
    table[248 / 8] = 4000;
    assert_false(python_layout_from_runtime(table, &layout, &version));
}

static void test_rows(void **state)
{
    (void)state;
    for (uint32_t minor = 8; minor <= 13; minor++) {
        const struct python_layout *row = python_layout_row(3u << 24 | minor << 16 | 0xf0);
        assert_non_null(row);
        assert_int_equal(row->version, 0x300 | minor);
        assert_true(row->frame_bytes <= PYTHON_FRAME_BYTES_MAX);
        assert_true(row->frame_instruction + 4 <= row->frame_bytes);
        assert_true((row->frame_stack >= 0) != (row->frame_slots >= 0 && row->code_slots >= 0));
        assert_true((row->thread_cframe >= 0) || (row->thread_frame >= 0));
    }
    assert_null(python_layout_row(0x30700f0));
    assert_null(python_layout_row(0x31000f0));
    assert_null(python_layout_row(0x20712f0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_and_row_agree),
        cmocka_unit_test(test_refuses_what_is_no_table),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
