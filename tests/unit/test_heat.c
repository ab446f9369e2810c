/* link: -Wl,--whole-archive shim -Wl,--no-whole-archive */
/* Sampled accesses by the part of an object's life, kept fairly until its end; and objects that share a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "gate.h"
#include "kernel.h"
#include "ledger/ledger.h"
#include "objects/heat.h"
#include "objects/lifetime.h"
#include "objects/object_map.h"
#include "objects/replica.h"
#include "objects/sites.h"
#include "process.h"
#include "scratch_run.h"

#define KIB ((size_t)1 << 10)
#define LIFE 1600u /* ticks */

static uint64_t stack_hash = 1;
static uintptr_t next_start = (uintptr_t)1 << 44; /* nobody reads there */

static uint32_t fresh_site(size_t size_bytes)
{
    struct site_key key = {.stack_hash = stack_hash, .instruction = stack_hash, .size_bytes = size_bytes};
    stack_hash++;
    return sites_find(&key);
}

/* At `start`, or somewhere on pages of its own (0). */
static struct object born(uint32_t site, uintptr_t start, size_t size_bytes, uint32_t age_ticks)
{
    struct object object = {.start = start != 0 ? start : next_start,
                            .size_bytes = size_bytes,
                            .origin = {.site = site, .epoch = 1, .born_tick = lifetime_tick() - age_ticks}};
    next_start += (size_bytes + 8191) & ~(size_t)4095;
    assert_true(object_map_birth_of(&object));
    return object;
}

static void end(const struct object *object, uint32_t now_tick)
{
    heat_ended(sites_at(object->origin.site)->id, object, now_tick);
    assert_true(object_map_death(object->start, object->size_bytes));
}

static const struct db_heat *heat_of(uint32_t site)
{
    return ledger_record(DB_KIND_HEAT, heat_record(sites_at(site)->id));
}

static uint64_t kept(const struct db_heat *heat)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < DB_HEAT_PARTS; i++) {
        sum += heat->parts[i];
    }
    return sum;
}

static void test_an_access_lies_in_its_part_of_the_life(void **state)
{
    (void)state;
    uint32_t site = fresh_site(64 * KIB);
    for (uint32_t part = 0; part < DB_HEAT_PARTS; part++) {
        uint32_t age = LIFE * part / DB_HEAT_PARTS + LIFE / DB_HEAT_PARTS / 2;
        struct object object = born(site, 0, 64 * KIB, age);
        heat_note(object.start);
        heat_note(object.start + 64 * KIB - 1);
        heat_note(object.start + 64 * KIB); /* behind it */
        end(&object, object.origin.born_tick + LIFE);
    }
    const struct db_heat *heat = heat_of(site);
    for (size_t i = 0; i < DB_HEAT_PARTS; i++) {
        assert_int_equal(heat->parts[i], 2);
    }
    assert_int_equal(heat->accesses, 2 * DB_HEAT_PARTS);
    assert_int_equal(heat->objects, DB_HEAT_PARTS);
    assert_int_equal(heat->lives_ns, (uint64_t)DB_HEAT_PARTS * LIFE << LIFETIME_TICK_BITS);
    assert_int_equal(heat->forgotten, 0);
}

static void test_short_lives_and_small_objects_are_not_parted(void **state)
{
    (void)state;
    uint32_t site = fresh_site(64 * KIB), small = fresh_site(2 * KIB);
    struct object brief = born(site, 0, 64 * KIB, 0), tiny = born(small, 0, 2 * KIB, 0);
    heat_note(brief.start);
    heat_note(tiny.start);
    end(&brief, brief.origin.born_tick + DB_HEAT_MIN_TICKS - 1);
    end(&tiny, tiny.origin.born_tick + LIFE);
    assert_int_equal(heat_of(site)->accesses, 1);
    assert_int_equal(heat_of(small)->accesses, 1);
    assert_int_equal(heat_of(site)->objects + heat_of(small)->objects, 0);
}

/* Of a thousand accesses, half of them early and half late, twelve are kept: as many of either in the mean. */
static void test_what_is_kept_is_a_fair_sample(void **state)
{
    (void)state;
    enum { OBJECTS = 100, ACCESSES = 500 };
    struct object objects[OBJECTS];
    uint32_t site = fresh_site(64 * KIB);
    for (unsigned i = 0; i < OBJECTS; i++) {
        objects[i] = born(site, 0, 64 * KIB, 0);
    }
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned i = 0; i < OBJECTS * ACCESSES; i++) {
            heat_note(objects[i % OBJECTS].start);
        }
        usleep(half == 0 ? 200000 : 0);
    }
    for (unsigned i = 0; i < OBJECTS; i++) {
        end(&objects[i], lifetime_tick());
    }
    const struct db_heat *heat = heat_of(site);
    uint64_t early = 0;
    for (size_t i = 0; i < DB_HEAT_PARTS / 2; i++) {
        early += heat->parts[i];
    }
    assert_int_equal(heat->accesses, 2 * OBJECTS * ACCESSES);
    assert_int_equal(kept(heat), OBJECTS * DB_HEAT_KEPT);
    assert_true(early > 600 - 5 * 17 && early < 600 + 5 * 17); /* 17: the standard deviation of 1,200 throws */
}

/* More objects than there is room for: those forgotten take all of their accesses along. */
static void test_what_has_no_room_is_forgotten_and_counted(void **state)
{
    (void)state;
    enum { OBJECTS = 30000 };
    static struct object objects[OBJECTS];
    uint32_t site = fresh_site(64 * KIB);
    for (unsigned i = 0; i < OBJECTS; i++) {
        objects[i] = born(site, 0, 64 * KIB, 0);
        heat_note(objects[i].start);
        heat_note(objects[i].start);
    }
    for (unsigned i = 0; i < OBJECTS; i++) {
        end(&objects[i], objects[i].origin.born_tick + LIFE);
    }
    const struct db_heat *heat = heat_of(site);
    assert_int_equal(heat->accesses, 2 * OBJECTS);
    assert_true(heat->forgotten > OBJECTS && heat->objects > 1000);
    assert_int_equal(heat->forgotten + kept(heat), 2 * OBJECTS);
    assert_int_equal(kept(heat), 2 * heat->objects);
}

static void *touch(void *argument)
{
    uint32_t site = *(const uint32_t *)argument;
    for (unsigned i = 0; i < 20000; i++) {
        struct object object = {
            .start = (uintptr_t)pthread_self() + 65536, .size_bytes = 64 * KIB, .origin = {.site = site, .epoch = 1}};
        if (object_map_birth_of(&object)) {
            heat_note(object.start);
            heat_ended(sites_at(site)->id, &object, LIFE);
            object_map_death(object.start, object.size_bytes);
        }
    }
    return NULL;
}

static void test_threads_lose_nothing_unseen(void **state)
{
    (void)state;
    uint32_t site = fresh_site(64 * KIB);
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, touch, &site), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    const struct db_heat *heat = heat_of(site);
    assert_int_equal(heat->accesses, 80000);
    assert_true(kept(heat) + heat->forgotten <= 80000 && kept(heat) > 40000);
}

static const struct db_neighbour *neighbour_of(uint32_t site, uint32_t other)
{
    const struct db_neighbour *record;
    for (uint32_t id = 1; (record = ledger_record(DB_KIND_NEIGHBOUR, id)) != NULL && record->site != 0; id++) {
        if (record->site == sites_at(site)->id && record->neighbour == sites_at(other)->id) {
            return record;
        }
    }
    return NULL;
}

static void test_objects_on_one_page(void **state)
{
    (void)state;
    uint32_t hot = fresh_site(1200), cold = fresh_site(1024), large = fresh_site(64 * KIB), lone = fresh_site(8 * KIB);
    uintptr_t page = (uintptr_t)1 << 43;
    struct object a = born(hot, page + 100, 1200, 0), b = born(cold, page + 1400, 1024, 0),
                  c = born(cold, page + 2500, 1024, 0), d = born(large, page + 3600, 64 * KIB, 0),
                  e = born(lone, page + (1 << 20), 8 * KIB, 0);
    heat_note(a.start + 8);
    heat_note(a.start + 1199);
    heat_note(b.start);
    heat_note(e.start + 5000);
    const struct db_neighbour *to_cold = neighbour_of(hot, cold), *to_large = neighbour_of(hot, large);
    assert_int_equal(to_cold->accesses, 2);
    assert_int_equal(to_cold->bytes, 2 * 1200);
    assert_int_equal(to_cold->neighbour_bytes, 2 * 2 * 1024);
    assert_int_equal(to_large->neighbour_bytes, 2 * (4096 - 3600));
    assert_int_equal(neighbour_of(cold, hot)->accesses, 1);
    assert_null(neighbour_of(cold, cold));
    assert_null(neighbour_of(lone, hot));
    assert_null(neighbour_of(large, hot));
    heat_note(d.start + 8192); /* a page that it has alone */
    assert_null(neighbour_of(large, hot));
    heat_note(d.start);
    assert_int_equal(neighbour_of(large, cold)->bytes, 4096 - 3600);
    struct object all[] = {a, b, c, d, e};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        end(&all[i], LIFE);
    }
}

static int begin_all(void **state)
{
    (void)state;
    if (!scratch_run_begin() || !config_read() || !gate_start() || !ledger_open()) {
        return 1;
    }
    ledger_reserve();
    process_record->start_monotonic_ns =
        kernel_clock_ns(CLOCK_MONOTONIC) - ((uint64_t)100 * LIFE << LIFETIME_TICK_BITS);
    process_engine_on(DB_ENGINE_REPLICA);
    return object_map_start() && replica_start() && lifetime_record() != NULL ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_access_lies_in_its_part_of_the_life),
        cmocka_unit_test(test_short_lives_and_small_objects_are_not_parted),
        cmocka_unit_test(test_what_is_kept_is_a_fair_sample),
        cmocka_unit_test(test_what_has_no_room_is_forgotten_and_counted),
        cmocka_unit_test(test_threads_lose_nothing_unseen),
        cmocka_unit_test(test_objects_on_one_page),
    };
    return cmocka_run_group_tests(tests, begin_all, scratch_run_end);
}
