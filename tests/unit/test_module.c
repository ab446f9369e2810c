/* link: shim */
/* The table of mapped objects: found by address, described, followed through dlopen and dlclose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "pieprof/db.h"
#include "stack/eh_frame.h"
#include "stack/module.h"
#include "stack/module_note.h"

static int scan(void **state)
{
    (void)state;
    module_scan();
    return 0;
}

static void test_finds_by_address(void **state)
{
    (void)state;
    const struct module *own = module_find((uintptr_t)scan);
    const struct module *c_library = module_find((uintptr_t)dlsym(RTLD_NEXT, "malloc"));
    assert_non_null(own);
    assert_true(own->flags & DB_MODULE_EXECUTABLE);
    assert_true(own->low <= (uintptr_t)scan && (uintptr_t)scan < own->text_high);
    assert_non_null(own->unwind_header);
    assert_non_null(c_library);
    assert_true(c_library->flags & DB_MODULE_ALLOCATOR);
    assert_null(module_find(0));
    assert_null(module_find(own->low - 1));
    assert_null(module_find((uintptr_t)&own));
    assert_null(module_find(UINTPTR_MAX));
}

static void test_vdso_and_loader(void **state)
{
    (void)state;
    assert_non_null(module_find(getauxval(AT_SYSINFO_EHDR)));
    assert_true(module_find(getauxval(AT_SYSINFO_EHDR))->flags & DB_MODULE_ALLOCATOR);
    assert_non_null(module_find(getauxval(AT_BASE)));
    assert_true(module_is_loader(module_find(getauxval(AT_BASE))->text_low));
    assert_false(module_is_loader((uintptr_t)scan));
    assert_false(module_is_loader((uintptr_t)dlsym(RTLD_NEXT, "malloc")));
}

static void test_c_library(void **state)
{
    (void)state;
    assert_true(module_is_c_library((uintptr_t)dlsym(RTLD_NEXT, "fopen")));
    assert_false(module_is_c_library((uintptr_t)scan));
    assert_false(module_is_c_library(module_find(getauxval(AT_BASE))->text_low));
}

static void test_scan_is_idempotent(void **state)
{
    (void)state;
    uint32_t generation = module_generation();
    const struct module *before = module_find((uintptr_t)scan);
    module_scan();
    assert_ptr_equal(module_find((uintptr_t)scan), before);
    assert_int_equal(module_generation(), generation);
}

static void test_follows_dlopen_and_dlclose(void **state)
{
    (void)state;
    void *library = dlopen("libBrokenLocale.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        skip();
    }
    struct link_map_head {
        uintptr_t bias;
        const char *name;
        void *dynamic;
    } *map = library;
    uintptr_t inside = (uintptr_t)map->dynamic;
    uint32_t generation = module_generation();
    assert_null(module_find(inside));
    module_scan();
    assert_non_null(module_find(inside));
    assert_int_equal(module_find(inside)->load_bias, map->bias);
    assert_int_equal(module_generation(), generation);
    dlclose(library);
    module_scan();
    assert_null(module_find(inside));
    assert_int_equal(module_generation(), generation + 1);
}

static void test_behind_call(void **state)
{
    (void)state;
    static const uint8_t code[] = {0x90, 0x90, 0x90, 0xE8, 1,    2,    3,    4,    0x90, 0x90, 0xFF,
                                   0x15, 1,    2,    3,    4,    0x41, 0xFF, 0xD0, 0xC3, 0xC3, 0xC3,
                                   0xC3, 0xC3, 0xC3, 0xC3, 0xC3, 0xC3, 0xC3, 0xC3, 0xC3, 0xC3};
    uintptr_t at = (uintptr_t)code;
    assert_true(module_is_behind_call(at + 8));
    assert_true(module_is_behind_call(at + 16));
    assert_true(module_is_behind_call(at + 19));
    assert_false(module_is_behind_call(at + 28));
    assert_false(module_is_behind_call(0));
}

static void test_path_of_a_relative_name(void **state)
{
    (void)state;
    char path[64];
    assert_int_equal(chdir("/tmp"), 0);
    assert_int_equal(module_note_path("./x.so", false, path, sizeof path), sizeof "/tmp/x.so");
    assert_string_equal(path, "/tmp/x.so");
    assert_int_equal(module_note_path("../x.so", false, path, sizeof path), sizeof "/tmp/../x.so");
    assert_string_equal(path, "/tmp/../x.so");
    assert_int_equal(module_note_path("/x.so", false, path, sizeof path), sizeof "/x.so");
    assert_int_equal(module_note_path("", false, path, sizeof path), sizeof "linux-vdso.so.1");
    assert_int_equal(module_note_path("./x.so", false, path, sizeof "/tmp/x.so" - 1), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(module_note_path("lib/x.so", false, path, sizeof path), sizeof "/lib/x.so");
    assert_string_equal(path, "/lib/x.so");
}

static void test_function_ranges(void **state)
{
    (void)state;
    struct eh_frame_function function;
    uintptr_t address = (uintptr_t)test_function_ranges;
    assert_true(eh_frame_find_function(module_find(address), address + 10, &function));
    assert_int_equal(function.low, address);
    assert_true(function.high > address + 10);
    assert_false(eh_frame_find_function(module_find(address), module_find(address)->low, &function));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_by_address),
        cmocka_unit_test(test_vdso_and_loader),
        cmocka_unit_test(test_c_library),
        cmocka_unit_test(test_scan_is_idempotent),
        cmocka_unit_test(test_follows_dlopen_and_dlclose),
        cmocka_unit_test(test_behind_call),
        cmocka_unit_test(test_path_of_a_relative_name),
        cmocka_unit_test(test_function_ranges),
    };
    return cmocka_run_group_tests(tests, scan, NULL);
}
