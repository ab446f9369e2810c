/* link: shim */
/*
 * The object map: births, deaths, look-ups of inner addresses, collisions, a full table, readers beside writers, objects that end on
 * other threads than they began.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_check.h"
#include "objects/object_map.h"
#include "process.h"
#include "signals.h"
#include "stack/module.h"
#include "thread.h"

#define HEAP UINT64_C(0x7f0000000000)

static uint64_t dropped(void)
{
    return process_record->dropped[DB_DROP_OBJECT_TABLE_FULL];
}

static int start(void **state)
{
    (void)state;
    return object_map_start() ? 0 : -1;
}

static void assert_at(uintptr_t address, uintptr_t start_expected)
{
    struct object object;
    assert_true(object_map_find(address, &object));
    assert_int_equal(object.start, start_expected);
}

static void assert_nothing_at(uintptr_t address)
{
    struct object object;
    assert_false(object_map_find(address, &object));
}

static void test_inner_addresses_are_found_for_every_size(void **state)
{
    (void)state;
    for (unsigned size_class = 10; size_class < 40; size_class++) {
        const size_t sizes[] = {(size_t)1 << size_class, ((size_t)1 << size_class) + 16, ((size_t)2 << size_class) - 1};
        for (size_t i = 0; i < 3; i++) {
            const uintptr_t begin = HEAP + ((size_t)1 << size_class) - 16;
            object_map_birth(begin, sizes[i]);
            assert_at(begin, begin);
            assert_at(begin + sizes[i] / 2, begin);
            assert_at(begin + sizes[i] - 1, begin);
            assert_nothing_at(begin - 1);
            assert_nothing_at(begin + sizes[i]);
            assert_true(object_map_death(begin, sizes[i]));
            assert_false(object_map_death(begin, sizes[i]));
            assert_nothing_at(begin);
        }
    }
}

static void test_neighbours_do_not_mix(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    const size_t bytes = 1040;
    for (size_t i = 0; i < COUNT; i++) {
        object_map_birth(HEAP + i * bytes, bytes);
    }
    assert_int_equal(dropped(), 0);
    for (size_t i = 0; i < COUNT; i++) {
        assert_at(HEAP + i * bytes + i % bytes, HEAP + i * bytes);
    }
    assert_false(object_map_death(HEAP + 16, bytes));
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(object_map_death(HEAP + i * bytes, bytes));
    }
    assert_nothing_at(HEAP + 100);
}

static void test_serials_tell_one_life_from_the_next(void **state)
{
    (void)state;
    struct object first, second, taken;
    object_map_birth(HEAP, 4096);
    assert_true(object_map_find(HEAP + 1, &first));
    assert_true(object_map_take(HEAP, 4096, &taken));
    assert_int_equal(taken.serial, first.serial);
    object_map_restore(&taken);
    assert_true(object_map_find(HEAP + 1, &second));
    assert_int_equal(second.serial, first.serial);
    object_map_death(HEAP, 4096);
    object_map_birth(HEAP, 4096);
    assert_true(object_map_find(HEAP + 1, &second));
    assert_true(second.serial > first.serial);
    object_map_death(HEAP, 4096);
}

static void test_the_site_comes_along(void **state)
{
    (void)state;
    struct object born = {.start = HEAP, .size_bytes = 4096, .origin = {.site = 7, .epoch = 3}}, found;
    assert_true(object_map_birth_of(&born));
    assert_true(object_map_find(HEAP + 5, &found));
    assert_int_equal(found.origin.site, 7);
    assert_int_equal(found.origin.epoch, 3);
    object_map_death(HEAP, 4096);
}

/* A death inside the shim goes unseen: the next object there replaces the stale one instead of living beside it. */
static void test_an_unseen_death_is_mended(void **state)
{
    (void)state;
    struct object object;
    object_map_birth(HEAP, 2048);
    object_map_birth(HEAP, 2064);
    assert_true(object_map_find(HEAP, &object));
    assert_int_equal(object.size_bytes, 2064);
    assert_true(object_map_death(HEAP, 2064));
    assert_nothing_at(HEAP);
}

static void test_a_full_table_is_counted_and_stays_right(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    uint64_t before = dropped(), found = 0;
    for (size_t i = 0; i < COUNT; i++) {
        object_map_birth(HEAP + i * 2048, 2048);
    }
    uint64_t lost = dropped() - before;
    assert_true(lost >= COUNT - (8u << 14) - (8u << 11));
    for (size_t i = 0; i < COUNT; i++) {
        found += object_map_death(HEAP + i * 2048, 2048);
    }
    assert_int_equal(found + lost, COUNT);
    assert_nothing_at(HEAP);
}

/* Counts of objects must be the same wherever the kernel puts the heap. Half of them die and are born again elsewhere. */
static void test_how_many_live_decides_who_is_filed_not_where(void **state)
{
    (void)state;
    enum { COUNT = 109000, MORE = 3000, BYTES = 1296 };
    uint64_t lost[4];
    for (uintptr_t place = 0; place < 4; place++) {
        uintptr_t begin = HEAP + place * UINT64_C(0x123457000), further = begin + (uintptr_t)COUNT * BYTES;
        for (size_t i = 0; i < COUNT; i++) {
            object_map_birth(begin + i * BYTES, BYTES);
        }
        for (size_t i = 0; i < COUNT; i += 2) {
            assert_true(object_map_death(begin + i * BYTES, BYTES));
            object_map_birth(further + i * BYTES, BYTES);
        }
        uint64_t before = dropped();
        assert_int_equal(before, place == 0 ? 0 : lost[place - 1] * place);
        for (size_t i = 0; i < MORE; i++) {
            object_map_birth(further + (COUNT + i) * BYTES, BYTES);
        }
        lost[place] = dropped() - before;
        uint64_t found = 0;
        for (size_t i = 0; i < COUNT + MORE; i++) {
            bool old = i % 2 == 1 && i < COUNT;
            found += object_map_death((old ? begin : further) + i * BYTES, BYTES);
        }
        assert_int_equal(found, COUNT + MORE - lost[place]);
        assert_int_equal(lost[place], lost[0]);
    }
    assert_in_range(lost[0], 1, MORE - 1);
}

static atomic_bool stop;
static atomic_ulong wrong;

static void *write_all_the_time(void *argument)
{
    uintptr_t base = HEAP + (uintptr_t)argument * (1u << 20);
    for (size_t i = 0; !atomic_load(&stop); i++) {
        size_t bytes = 1024 + i % 64 * 1024;
        object_map_birth(base + i % 7 * 131072, bytes);
        object_map_death(base + i % 7 * 131072, bytes);
    }
    return NULL;
}

static void *read_all_the_time(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < 300000; i++) {
        struct object object;
        uintptr_t address = HEAP + i * 4099 % (2u << 20);
        if (object_map_find(address, &object) && address - object.start >= object.size_bytes) {
            atomic_fetch_add(&wrong, 1);
        }
    }
    return NULL;
}

static void test_readers_beside_writers_see_whole_objects(void **state)
{
    (void)state;
    pthread_t writers[2], readers[2];
    for (uintptr_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&writers[i], NULL, write_all_the_time, (void *)i), 0);
        assert_int_equal(pthread_create(&readers[i], NULL, read_all_the_time, NULL), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(readers[i], NULL);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(writers[i], NULL);
    }
    assert_int_equal(atomic_load(&wrong), 0);
}

enum { HANDED = 400000, PLACES = 256, HANDED_BYTES = 2048 };
static atomic_bool handed[PLACES]; /* an object stands there, and is to be ended */
static atomic_ulong not_found;

static void *end_what_is_handed_over(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < HANDED; i++) {
        while (!atomic_load(&handed[i % PLACES])) {
        }
        if (!object_map_death(HEAP + i % PLACES * HANDED_BYTES, HANDED_BYTES)) {
            atomic_fetch_add(&not_found, 1);
        }
        atomic_store(&handed[i % PLACES], false);
    }
    return NULL;
}

static void count(const struct object *object, void *state)
{
    (void)object;
    ++*(size_t *)state;
}

/* Its address is born again at once. */
static void test_an_object_ends_on_another_thread(void **state)
{
    (void)state;
    pthread_t other;
    size_t alive = 0;
    assert_int_equal(pthread_create(&other, NULL, end_what_is_handed_over, NULL), 0);
    for (size_t i = 0; i < HANDED; i++) {
        while (atomic_load(&handed[i % PLACES])) {
        }
        object_map_birth(HEAP + i % PLACES * HANDED_BYTES, HANDED_BYTES);
        atomic_store(&handed[i % PLACES], true);
    }
    pthread_join(other, NULL);
    assert_int_equal(atomic_load(&not_found), 0);
    object_map_visit(count, &alive);
    assert_int_equal(alive, 0);
}

enum { CROWD = 12000, CROWD_BYTES = 2048, BESIDE = 64, BEGINNINGS = 40 };
static atomic_bool crowded;

static void *come_and_go(void *number)
{
    uintptr_t base = HEAP + (1 + (uintptr_t)number) * UINT64_C(0x100000000);
    while (!atomic_load(&crowded)) {
        for (size_t i = 0; i < BESIDE; i++) {
            object_map_birth(base + i * CROWD_BYTES, CROWD_BYTES);
        }
        for (size_t i = 0; i < BESIDE; i++) {
            object_map_death(base + i * CROWD_BYTES, CROWD_BYTES);
        }
    }
    return NULL;
}

/* A child's first: the far part begins while other threads' objects come and go. */
static void begin_the_far_part(void)
{
    pthread_t others[4];
    for (uintptr_t i = 0; i < 4; i++) {
        CHECK(pthread_create(&others[i], NULL, come_and_go, (void *)i) == 0);
    }
    for (size_t i = 0; i < CROWD; i++) {
        object_map_birth(HEAP + i * CROWD_BYTES, CROWD_BYTES);
    }
    for (size_t i = 0; i < CROWD; i++) {
        object_map_death(HEAP + i * CROWD_BYTES, CROWD_BYTES);
    }
    atomic_store(&crowded, true);
    for (uintptr_t i = 0; i < 4; i++) {
        pthread_join(others[i], NULL);
    }
    uint64_t before = dropped();
    for (size_t i = 0; i < BESIDE; i++) {
        object_map_birth(HEAP + i * CROWD_BYTES, CROWD_BYTES);
        object_map_death(HEAP + i * CROWD_BYTES, CROWD_BYTES);
    }
    CHECK(dropped() == before);
    _exit(0);
}

/* What comes or goes while the living are first counted may be counted on one side alone: nobody is refused for that. */
static void test_objects_that_come_and_go_while_they_are_first_counted(void **state)
{
    (void)state;
    for (int i = 0; i < BEGINNINGS; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            begin_the_far_part();
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void *count_births(void *state)
{
    for (int i = 0; i < 100000; i++) {
        object_map_count();
    }
    return state;
}

/* With one thread no bus lock is taken for it, with several it is. */
static void test_births_are_counted_exactly(void **state)
{
    pthread_t others[3];
    uint64_t before = object_map_last_serial();
    count_births(*state);
    assert_int_equal(object_map_last_serial() - before, 100000);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&others[i], NULL, count_births, NULL), 0);
    }
    count_births(*state);
    for (int i = 0; i < 3; i++) {
        pthread_join(others[i], NULL);
    }
    assert_int_equal(object_map_last_serial() - before, 500000);
}

static void test_addresses_have_classes(void **state)
{
    (void)state;
    assert_true(signals_start()); /* guarded reads of what is not there */
    static int data;
    static struct thread self = {.main = true};
    thread_self = &self;
    int local;
    uintptr_t stack_pointer = (uintptr_t)__builtin_frame_address(0);
    uintptr_t lower = (uintptr_t)&local < stack_pointer ? (uintptr_t)&local : stack_pointer;
    assert_int_equal(object_map_class((uintptr_t)&local, lower), DB_CLASS_STACK);
    char *heap = malloc(4096);
    memset(heap, 1, 4096);
    assert_int_equal(object_map_class((uintptr_t)heap, lower), DB_CLASS_OTHER_HEAP);
    object_map_birth((uintptr_t)heap, 4096);
    assert_int_equal(object_map_class((uintptr_t)heap + 4095, lower), DB_CLASS_OBJECT);
    object_map_death((uintptr_t)heap, 4096);
    module_scan();
    assert_int_equal(object_map_class((uintptr_t)&data, lower), DB_CLASS_MODULE_DATA);
    uint32_t *pool = aligned_alloc(16384, 16384);
    memset(pool, 0, 16384);
    pool[9] = 3;           /* size_index: blocks of 64 bytes */
    pool[10] = 48 + 64;    /* next_offset */
    pool[11] = 16384 - 64; /* max_next_offset */
    assert_int_equal(object_map_class((uintptr_t)pool + 9000, lower), DB_CLASS_ARENA);
    free(pool);
    free(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects_that_come_and_go_while_they_are_first_counted), /* the map's first objects */
        cmocka_unit_test(test_inner_addresses_are_found_for_every_size),
        cmocka_unit_test(test_neighbours_do_not_mix),
        cmocka_unit_test(test_serials_tell_one_life_from_the_next),
        cmocka_unit_test(test_the_site_comes_along),
        cmocka_unit_test(test_an_unseen_death_is_mended),
        cmocka_unit_test(test_how_many_live_decides_who_is_filed_not_where),
        cmocka_unit_test(test_a_full_table_is_counted_and_stays_right),
        cmocka_unit_test(test_births_are_counted_exactly),
        cmocka_unit_test(test_readers_beside_writers_see_whole_objects),
        cmocka_unit_test(test_an_object_ends_on_another_thread),
        cmocka_unit_test(test_addresses_have_classes),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
