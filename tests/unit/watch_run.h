/*
 * The access engine on this very process: real debug registers, real traps, the pairs they leave in the ledger. A word of
 * the caller's frame stands for the return slot: writing it is the end of the native call.
 */
#ifndef PIEPROF_TESTS_WATCH_RUN_H
#define PIEPROF_TESTS_WATCH_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "access/access.h"
#include "access/armed.h"
#include "access/engine.h"
#include "config.h"
#include "gate.h"
#include "ledger/ledger.h"
#include "objects/object_map.h"
#include "process.h"
#include "signals.h"
#include "stack/context.h"
#include "stack/module.h"
#include "stack/native.h"
#include "thread.h"

static uint64_t words[512] __attribute__((aligned(4096)));

/*
 * The accesses are made by code in a page of its own: this test is linked into one module with the shim, whose own accesses
 * are none; code in no module is native.
 */
static const uint8_t code[] = {
    0x48, 0x8b, 0x07, 0xc3, /* mov (%rdi), %rax; ret */
    0x48, 0x89, 0x37, 0xc3, /* mov %rsi, (%rdi); ret */
    0x48, 0xa5, 0xc3,       /* movsq; ret */
    0x90,                   /* nop */
    0x48, 0x89, 0xf0,       /* mov %rsi, %rax */
    0x48, 0x89, 0xd1,       /* mov %rdx, %rcx */
    0xf3, 0x48, 0xab, 0xc3, /* rep stosq; ret */
    0x48, 0x89, 0xd1,       /* mov %rdx, %rcx */
    0xf3, 0xa4, 0xc3,       /* rep movsb; ret */
    0x48, 0x89, 0xd1,       /* mov %rdx, %rcx */
    0xfd, 0xf3, 0xa4, 0xfc, /* std; rep movsb; cld */
    0xc3,                   /* ret */
    0x48, 0x01, 0x37, 0xc3, /* add %rsi, (%rdi); ret */
};
static uint64_t (*load)(const uint64_t *from);
static void (*store)(uint64_t *to, uint64_t value);
static void (*move)(uint64_t *to, const uint64_t *from);
static void (*fill)(uint64_t *to, uint64_t value, uint64_t count);
static void (*copy_bytes)(void *to, const void *from, uint64_t count);
static void (*copy_bytes_down)(void *to, const void *from, uint64_t count); /* from the last byte, which both name */

static void (*add)(uint64_t *to, uint64_t value);

static inline bool make_code(void)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return false;
    }
    memcpy(page, code, sizeof code);
    *(void **)&load = page;
    *(void **)&store = page + 4;
    *(void **)&move = page + 8;
    *(void **)&fill = page + 12;
    *(void **)&copy_bytes = page + 22;
    *(void **)&copy_bytes_down = page + 28;
    *(void **)&add = page + 36;
    return true;
}

static struct sigaction fault_action;

static struct machine_find ahead; /* of the access that is armed */

/* Arms as a search would that found this access; the access itself is then made by the test. */
static inline void arm(bool is_store, const uint64_t *address, uintptr_t slot)
{
    ucontext_t uc;
    sigaction(SIGSEGV, &fault_action,
              NULL); /* cmocka puts its own in front of each test; guarded reads need the shim's */
    getcontext(&uc);
    ahead.access =
        (struct machine_access){.address = (uintptr_t)address, .size_bytes = 8, .load = !is_store, .store = is_store};
    struct found found = {
        .find = &ahead, .store = is_store, .sixteenths = MACHINE_ONE, .slot = slot, .weight_ns = 1000};
    gate_enter();
    arm_watch(thread_self->access, &uc, &found);
    gate_leave();
}

/* Tests whose stacks unwind alike share records: each counts from what it found. */
static uint64_t counts_before[256];

static inline uint32_t pairs_now(void)
{
    uint32_t count = 0;
    while (ledger_record(DB_KIND_PAIR, count + 1) != NULL) {
        count++;
    }
    return count;
}

/* How often a pair of this shape was recorded by the running test. */
static inline uint64_t pairs(enum db_access first, enum db_access second, enum db_scope scope, uint32_t flags)
{
    uint64_t count = 0;
    for (uint32_t id = 1; id <= pairs_now(); id++) {
        const struct db_pair *pair = ledger_record(DB_KIND_PAIR, id);
        bool same = pair->first_access == first && pair->second_access == second && pair->scope == scope &&
                    (pair->flags & ~(uint32_t)DB_PAIR_FIRST) == flags;
        count += same ? pair->count - counts_before[id % 256] : 0;
    }
    return count;
}

/* Sampled stores by themselves are no pairs. */
static inline uint64_t all_pairs(void)
{
    uint64_t count = 0;
    for (uint32_t id = 1; id <= pairs_now(); id++) {
        const struct db_pair *pair = ledger_record(DB_KIND_PAIR, id);
        count += pair->second_access != DB_ACCESS_NONE ? pair->count - counts_before[id % 256] : 0;
    }
    return count;
}

static inline int begin(void **state)
{
    (void)state;
    struct access_thread *at = thread_self->access;
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        verdict_end(at, &at->watches[i], DB_DROP_WATCH_OPEN);
    }
    scope_close(at);
    memset(at->wakeful, 0, sizeof at->wakeful);
    at->patience_ns = 1000000000; /* no watch ends because the machine is busy */
    memset(words, 0, sizeof words);
    for (uint32_t id = 1; id <= pairs_now(); id++) {
        counts_before[id % 256] = ((const struct db_pair *)ledger_record(DB_KIND_PAIR, id))->count;
    }
    return 0;
}

static inline int start(void **state)
{
    static char directory[] = "/tmp/pieprof-watch-XXXXXX";
    char why[DB_REASON_BYTES];
    (void)state;
    if (mkdtemp(directory) == NULL || chdir(directory) != 0) {
        return 1;
    }
    setenv("PIEPROF_RUN", "watch", 1);
    bool begun = config_read() && gate_start() && ledger_open() && process_begin();
    config.budget_percent = 100; /* traps are all that this process does */
    module_scan();
    if (!begun || !object_map_start() || !context_start() || !native_start() || !signals_start()) {
        return 1;
    }
    sigaction(SIGSEGV, NULL, &fault_action);
    if (!access_start(why, sizeof why)) {
        print_message("the access engine is off here: %s\n", why);
        _exit(77);
    }
    process_engine_on(DB_ENGINE_ACCESS);
    object_map_birth((uintptr_t)words, sizeof words);
    gate_set_phase(GATE_OPEN);
    return make_code() && thread_begin(true) && thread_self->access != NULL ? 0 : 1;
}

#define WATCH_TEST(name) cmocka_unit_test_setup(name, begin)

#endif
