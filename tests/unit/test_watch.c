/* link: shim */
/*
 * The access engine on this very process: real debug registers, real traps, the pairs they leave in the ledger. A word of
 * the caller's frame stands for the return slot: writing it is the end of the native call.
 */
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
};
static uint64_t (*load)(const uint64_t *from);
static void (*store)(uint64_t *to, uint64_t value);
static void (*move)(uint64_t *to, const uint64_t *from);
static void (*fill)(uint64_t *to, uint64_t value, uint64_t count);

static bool make_code(void)
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
    return true;
}

static struct sigaction fault_action;

static struct machine_find ahead; /* of the access that is armed */

/* Arms as a search would that found this access; the access itself is then made by the test. */
static void arm(bool is_store, const uint64_t *address, uintptr_t slot)
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
    verdict_arm(thread_self->access, &uc, &found);
    gate_leave();
}

/* Tests whose stacks unwind alike share records: each counts from what it found. */
static uint64_t counts_before[256];

static uint32_t pairs_now(void)
{
    uint32_t count = 0;
    while (ledger_record(DB_KIND_PAIR, count + 1) != NULL) {
        count++;
    }
    return count;
}

/* How often a pair of this shape was recorded by the running test. */
static uint64_t pairs(enum db_access first, enum db_access second, enum db_scope scope, uint32_t flags)
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
static uint64_t all_pairs(void)
{
    uint64_t count = 0;
    for (uint32_t id = 1; id <= pairs_now(); id++) {
        const struct db_pair *pair = ledger_record(DB_KIND_PAIR, id);
        count += pair->second_access != DB_ACCESS_NONE ? pair->count - counts_before[id % 256] : 0;
    }
    return count;
}

static int begin(void **state)
{
    (void)state;
    struct access_thread *at = thread_self->access;
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        verdict_end(at, &at->watches[i], DB_DROP_WATCH_OPEN);
    }
    scope_close(at);
    memset(words, 0, sizeof words);
    for (uint32_t id = 1; id <= pairs_now(); id++) {
        counts_before[id % 256] = ((const struct db_pair *)ledger_record(DB_KIND_PAIR, id))->count;
    }
    return 0;
}

static void test_load_load(void **state)
{
    (void)state;
    words[8] = 7;
    arm(false, &words[8], 0);
    load(&words[8]);
    load(&words[8]);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
}

/* Two accesses on the way to the chosen one touch its bytes; a third beside them does not. */
static void test_accesses_on_the_way_are_not_the_sampled_one(void **state)
{
    (void)state;
    ahead.touched[0] = ahead.touched[2] = (struct machine_span){(uintptr_t)&words[8], 8};
    ahead.touched[1] = (struct machine_span){(uintptr_t)&words[9], 8};
    ahead.before = 3;
    arm(true, &words[8], 0);
    ahead.before = 0;
    store(&words[8], 5);
    store(&words[8], 5);
    store(&words[8], 6);
    assert_int_equal(all_pairs(), 0);
    store(&words[8], 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
}

static void test_load_watch_passes_over_stores(void **state)
{
    (void)state;
    arm(false, &words[8], 0);
    load(&words[8]);
    store(&words[8], 5);
    store(&words[8], 6);
    load(&words[8]);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_UNKNOWN, 0), 1);
    assert_int_equal(all_pairs(), 1);
}

static void test_store_store_and_store_load(void **state)
{
    (void)state;
    arm(true, &words[8], 0);
    store(&words[8], 5);
    store(&words[8], 5);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
    arm(true, &words[8], 0);
    store(&words[8], 6);
    store(&words[8], 7);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, 0), 1);
    arm(true, &words[8], 0);
    store(&words[8], 8);
    load(&words[8]);
    assert_int_equal(all_pairs(), 3);
}

static void test_zero_over_zero_is_marked(void **state)
{
    (void)state;
    arm(true, &words[8], 0);
    store(&words[8], 0);
    store(&words[8], 0);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE | DB_PAIR_ZERO), 1);
}

static void test_dead_across_calls(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    arm(true, &words[8], (uintptr_t)&slot);
    store(&words[8], 5);
    slot = 1;
    store(&words[8], 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, 0), 1);
    assert_int_equal(all_pairs(), 1);
}

/* Trap 10: a packing buffer is written, read and, in the next call, written again. That is no dead store. */
static void test_a_load_inside_the_call_makes_a_store_used(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    arm(true, &words[8], (uintptr_t)&slot);
    store(&words[8], 5);
    load(&words[8]);
    slot = 1;
    store(&words[8], 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_LOAD, DB_SCOPE_WITHIN, DB_PAIR_SAME_VALUE), 0);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, DB_PAIR_SLEPT | DB_PAIR_USED), 1);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, 0), 0);
    assert_int_equal(all_pairs(), 2);
}

/* The load that was seen is not of what was stored behind it, unseen. */
static void test_a_store_behind_the_load_is_not_called_used(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    arm(true, &words[8], (uintptr_t)&slot);
    store(&words[8], 5);
    load(&words[8]);
    store(&words[8], 6);
    slot = 1;
    store(&words[8], 7);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, DB_PAIR_SLEPT | DB_PAIR_UNSEEN), 1);
}

/* What a watch slept through may have used the store: nothing seen says that it was. */
static void test_a_loop_of_stores_sleeps_and_is_not_called_used(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    arm(true, &words[8], (uintptr_t)&slot);
    for (uint64_t i = 0; i < 20; i++) {
        store(&words[8], i);
    }
    slot = 1;
    store(&words[8], 77);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_WITHIN, 0), 1);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_ACROSS, DB_PAIR_SLEPT | DB_PAIR_UNSEEN), 1);
}

/* The register watches aligned bytes in the middle; the values differ in a byte beside them. */
/* A string instruction may trap several times on its way over the bytes; begun again it is another store. */
static void test_a_string_instruction_begun_again_is_another_store(void **state)
{
    (void)state;
    uint64_t slot = 0, finished = process_record->finished;
    arm(true, &words[64], (uintptr_t)&slot);
    fill(words, 5, 128);
    assert_int_equal(all_pairs(), 0);
    fill(words, 5, 128);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_WITHIN, DB_PAIR_SAME_VALUE), 1);
    uint32_t traps = (uint32_t)process_record->traps;
    for (int i = 0; i < 100; i++) {
        fill(words, 5, 128);
    }
    assert_in_range(process_record->traps - traps, 0, 50);
    assert_int_equal(process_record->finished, finished + 1);
}

static void test_unaligned_values_are_compared_whole(void **state)
{
    (void)state;
    uintptr_t address = (uintptr_t)&words[8] + 3;
    uint64_t *unaligned;
    memcpy(&unaligned, &address, sizeof unaligned);
    arm(true, unaligned, 0);
    store(unaligned, 5);
    store(unaligned, 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, 0), 1);
    arm(true, unaligned, 0);
    store(unaligned, 6);
    store(unaligned, 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
}

static void test_one_watch_yields_within_and_across(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    words[8] = 3;
    arm(false, &words[8], (uintptr_t)&slot);
    for (int i = 0; i < 20; i++) {
        load(&words[8]);
    }
    slot = 1;
    load(&words[8]);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_WITHIN, DB_PAIR_SAME_VALUE), 1);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_ACROSS, DB_PAIR_SAME_VALUE | DB_PAIR_SLEPT), 1);
}

/* Trap 11: SIGTRAP does not queue; one instruction that hits two watches tells of both. */
/* Nobody knows which value the call's last load saw. */
static void test_a_change_that_was_slept_through_is_told(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    words[8] = 7;
    arm(false, &words[8], (uintptr_t)&slot);
    load(&words[8]);
    load(&words[8]);
    store(&words[8], 9);
    slot = 1;
    load(&words[8]);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_WITHIN, DB_PAIR_SAME_VALUE), 1);
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_ACROSS, DB_PAIR_SLEPT | DB_PAIR_UNSEEN), 1);
    assert_int_equal(all_pairs(), 2);
}

static void test_two_watches_hit_by_one_instruction(void **state)
{
    (void)state;
    const uint64_t *from = &words[16];
    uint64_t *to = &words[32];
    words[16] = 9;
    arm(false, from, 0);
    arm(true, to, 0);
    for (int i = 0; i < 2; i++) {
        move(to, from);
    }
    assert_int_equal(pairs(DB_ACCESS_LOAD, DB_ACCESS_LOAD, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_SAME_VALUE), 1);
}

/* Trap 3: the shim's own look at watched bytes is no access and does not trap. */
static void test_reading_around_an_armed_watch(void **state)
{
    (void)state;
    uint64_t value = 0, traps = process_record->traps;
    words[8] = 77;
    arm(false, &words[8], 0);
    assert_true(watch_read_memory(&value, (uintptr_t)&words[8], sizeof value));
    assert_int_equal(value, 77);
    assert_int_equal(process_record->traps, traps);
}

static void test_memory_that_goes_away(void **state)
{
    (void)state;
    volatile uint64_t slot = 0;
    uint64_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    object_map_birth((uintptr_t)page, 4096);
    arm(false, page, (uintptr_t)&slot);
    load(page);
    load(page); /* judged, asleep until the call ends */
    munmap(page, 4096);
    slot = 1;
    assert_int_equal(all_pairs(), 1);
    assert_int_equal(((struct access_thread *)thread_self->access)->watches[2].phase, WATCH_FREE);
    object_map_death((uintptr_t)page, 4096);
}

static void test_a_blocked_sigtrap_ends_the_watch(void **state)
{
    (void)state;
    uint64_t lost = process_record->dropped[DB_DROP_ASYNC_TRAP];
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    arm(false, &words[8], 0);
    sigprocmask(SIG_BLOCK, &trap, NULL);
    load(&words[8]);
    load(&words[8]);
    sigprocmask(SIG_UNBLOCK, &trap, NULL);
    load(&words[8]);
    assert_int_equal(all_pairs(), 0);
    assert_int_equal(process_record->dropped[DB_DROP_ASYNC_TRAP], lost + 1);
}

static void test_recycled_memory_is_told(void **state)
{
    (void)state;
    uint64_t *object = &words[256];
    object_map_death((uintptr_t)words, sizeof words);
    object_map_birth((uintptr_t)object, 1024);
    arm(true, object, 0);
    store(object, 5);
    object_map_death((uintptr_t)object, 1024);
    object_map_birth((uintptr_t)object, 1024);
    store(object, 5);
    const struct db_pair *pair = ledger_record(DB_KIND_PAIR, pairs_now());
    assert_int_equal(all_pairs(), 1);
    assert_int_equal(pair->relation, DB_RELATION_RECYCLED);
    assert_int_equal(pair->address_class, DB_CLASS_OBJECT);
    object_map_death((uintptr_t)object, 1024);
    object_map_birth((uintptr_t)words, sizeof words);
}

/* Trap 12: the kernel's accesses never trap; what the interposed calls say of them counts. */
static void test_what_the_kernel_did(void **state)
{
    (void)state;
    arm(true, &words[8], 0);
    store(&words[8], 5);
    io_mark((uintptr_t)words, sizeof words, IO_USED);
    store(&words[8], 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_USED), 1);
    arm(true, &words[8], 0);
    store(&words[8], 5);
    io_mark((uintptr_t)words, sizeof words, IO_REWRITTEN);
    store(&words[8], 6);
    assert_int_equal(pairs(DB_ACCESS_STORE, DB_ACCESS_STORE, DB_SCOPE_UNKNOWN, DB_PAIR_UNPROVED), 1);
    arm(true, &words[8], 0);
    store(&words[8], 5);
    io_mark((uintptr_t)words, sizeof words, IO_GONE);
    store(&words[8], 6);
    assert_int_equal(all_pairs(), 2);
}

/* The parent's events are the parent's: a child only closes. */
static void test_a_child_leaves_the_watch_alone(void **state)
{
    (void)state;
    arm(false, &words[8], 0);
    load(&words[8]);
    pid_t child = fork();
    if (child == 0) {
        access_thread_forget(thread_self);
        load(&words[8]);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    load(&words[8]);
    assert_int_equal(all_pairs(), 1);
}

static void test_watches_keep_their_registers_and_never_overlap(void **state)
{
    (void)state;
    struct access_thread *at = thread_self->access;
    uint64_t armed = process_record->armed, overlaps = process_record->dropped[DB_DROP_WATCH_OVERLAP];
    uint64_t busy = process_record->dropped[DB_DROP_WATCHES_BUSY];
    arm(false, &words[8], 0);
    arm(false, &words[8], 0);
    assert_int_equal(process_record->armed, armed + 1);
    assert_int_equal(process_record->dropped[DB_DROP_WATCH_OVERLAP], overlaps + 1);
    for (unsigned i = 0; i < 200; i++) {
        arm(false, &words[64 + i], 0);
    }
    assert_int_equal(process_record->armed, armed + access_data_registers(at));
    assert_int_equal(process_record->dropped[DB_DROP_WATCHES_BUSY] - busy, 201 - access_data_registers(at));
    assert_int_equal(at->passed_over, 201 - access_data_registers(at)); /* which the next one armed stands for */
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        assert_int_not_equal(at->watches[i].phase, WATCH_FREE);
    }
}

/* A thread whose watching ends, as around an exec, and begins again: nothing is armed, and armed time starts from nothing. */
static void test_armed_time_ends_with_the_watching(void **state)
{
    (void)state;
    uint64_t slot = 0;
    assert_true(scope_open(thread_self->access, (uintptr_t)&slot & ~(uintptr_t)7));
    access_thread_end(thread_self);
    armed_take();
    for (volatile int i = 0; i < 1000000; i++) {
    }
    assert_int_equal(armed_take().ns, 0);
    assert_true(access_thread_begin(thread_self));
    assert_int_equal(armed_take().ns, 0);
    arm(false, &words[8], 0);
    for (volatile int i = 0; i < 1000000; i++) {
    }
    assert_true(armed_take().ns > 0);
    load(&words[8]);
    load(&words[8]);
    armed_take();
    for (volatile int i = 0; i < 1000000; i++) {
    }
    assert_int_equal(armed_take().ns, 0);
}

static int start(void **state)
{
    static char directory[] = "/tmp/pieprof-watch-XXXXXX";
    char why[DB_REASON_BYTES];
    (void)state;
    if (mkdtemp(directory) == NULL || chdir(directory) != 0) {
        return 1;
    }
    setenv("PIEPROF_RUN", "watch", 1);
    bool begun = config_read() && gate_start() && ledger_open() && process_begin();
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(test_load_load),
        TEST(test_accesses_on_the_way_are_not_the_sampled_one),
        TEST(test_load_watch_passes_over_stores),
        TEST(test_store_store_and_store_load),
        TEST(test_zero_over_zero_is_marked),
        TEST(test_dead_across_calls),
        TEST(test_a_load_inside_the_call_makes_a_store_used),
        TEST(test_a_loop_of_stores_sleeps_and_is_not_called_used),
        TEST(test_a_string_instruction_begun_again_is_another_store),
        TEST(test_unaligned_values_are_compared_whole),
        TEST(test_one_watch_yields_within_and_across),
        TEST(test_a_store_behind_the_load_is_not_called_used),
        TEST(test_a_change_that_was_slept_through_is_told),
        TEST(test_two_watches_hit_by_one_instruction),
        TEST(test_reading_around_an_armed_watch),
        TEST(test_memory_that_goes_away),
        TEST(test_a_blocked_sigtrap_ends_the_watch),
        TEST(test_recycled_memory_is_told),
        TEST(test_what_the_kernel_did),
        TEST(test_a_child_leaves_the_watch_alone),
        TEST(test_watches_keep_their_registers_and_never_overlap),
        TEST(test_armed_time_ends_with_the_watching),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
