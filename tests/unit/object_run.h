/* Objects of a site by hand: born, filled, and examined at their end. */
#ifndef PIEPROF_TESTS_OBJECT_RUN_H
#define PIEPROF_TESTS_OBJECT_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "config.h"
#include "ledger/ledger.h"
#include "objects/examine.h"
#include "objects/recent.h"
#include "objects/sites.h"
#include "process.h"
#include "scratch_run.h"

#define BYTES 131072u /* more than is digested whole each time */

static uint64_t stack_hash = 1, serial;
static uint64_t buffer[BYTES / 8 + 2];

static uint32_t fresh_site(uint64_t maker, size_t size_bytes)
{
    struct site_key key = {.stack_hash = stack_hash, .instruction = stack_hash, .size_bytes = size_bytes};
    stack_hash++;
    uint32_t number = sites_find(&key);
    assert_true(number != 0);
    assert_int_equal(sites_find(&key), number);
    sites_at(number)->maker = maker;
    return number;
}

static const struct db_site *record_of(uint32_t number)
{
    return sites_at(number)->record;
}

/* Content that differs in each line. */
static void fill(uint64_t seed)
{
    for (size_t i = 0; i < BYTES / 8; i++) {
        buffer[i] = seed * 1000003 + i;
    }
}

static struct object born_at(uint32_t number, uint64_t *start)
{
    struct site *site = sites_at(number);
    const size_t size_bytes = site->record->size_bytes;
    struct object object = {.start = (uintptr_t)start, .size_bytes = size_bytes, .serial = ++serial};
    object_map_birth(object.start, size_bytes); /* the map's clock goes on */
    assert_true(object_map_death(object.start, size_bytes));
    object.serial = object_map_last_serial();
    object.origin.site = number;
    object.origin.birth = sites_count_birth(site);
    process_count(&site->record->looked_at, 1);
    examine_birth(site, object.start, &object.origin);
    return object;
}

static struct object born(uint32_t number)
{
    return born_at(number, buffer);
}

/* An object of that content, born into leftovers of another. */
static inline void make(uint32_t number, uint64_t seed)
{
    fill(~seed);
    struct object object = born(number);
    fill(seed);
    examine_end(sites_at(number), &object, object.start);
}

static int object_run_begin(void **state)
{
    (void)state;
    if (!scratch_run_begin() || !config_read() || !ledger_open()) {
        return 1;
    }
    ledger_reserve();
    return object_map_start() && sites_start() && recent_start() ? 0 : 1;
}

#endif
