/* link: shim */
/* What may befall a watch: others beside it, memory and registers that go, the kernel, a fork, the end of its thread. */
#include "watch_run.h"

/* Trap 11: SIGTRAP does not queue; one instruction that hits two watches tells of both. */
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

static void touch_pages(unsigned count)
{
    const size_t page_bytes = 4096;
    char *pages = mmap(NULL, count * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    for (unsigned i = 0; i < count; i++) {
        ((volatile char *)pages)[i * page_bytes] = 1;
    }
    munmap(pages, count * page_bytes);
}

/* Faults while armed are priced by what they take unarmed: each is counted on its own side. */
static void test_faults_are_told_apart_by_what_was_armed(void **state)
{
    (void)state;
    armed_take();
    touch_pages(64);
    struct armed_time taken = armed_take();
    assert_int_equal(taken.faults, 0);
    arm(false, &words[8], 0);
    taken = armed_take();
    assert_true(taken.other_faults >= 64);
    touch_pages(32);
    taken = armed_take();
    assert_true(taken.faults >= 32);
    assert_true(taken.other_faults < 32);
    load(&words[8]);
}

/* A search that waits at a breakpoint which its call passed by: the next tick, wherever that is, frees the register. */
static void test_a_search_in_vain_ends_at_the_next_tick(void **state)
{
    (void)state;
    struct access_thread *at = thread_self->access;
    struct search *search = &at->searches[SEARCH_LOAD];
    ucontext_t uc;
    getcontext(&uc);
    for (int frame_is_known = 0; frame_is_known <= 1; frame_is_known++) {
        uint64_t ended = process_record->call_ended;
        *search = (struct search){.active = true, .samples = 3, .register_index = registers_lend(at)};
        search->top_known = frame_is_known; /* one that this process, without Python, has left; else it may go on */
        assert_true(watch_register_arm(&at->registers[search->register_index], WATCH_EXECUTE, (uintptr_t)load, 1));
        assert_true(search_waits(search) && armed_now());
        access_tick(thread_self, &uc);
        assert_int_equal(search_waits(search), !frame_is_known);
        assert_int_equal(armed_now(), !frame_is_known);
        assert_int_equal(process_record->call_ended, ended);
        search_check_sample(at); /* the next sample in native code tells */
        assert_int_equal(search->active, !frame_is_known);
        assert_int_equal(process_record->call_ended - ended, frame_is_known ? 3 : 0);
        search_drop(at, search, DB_DROP_BREAKPOINT_MISSED);
    }
    assert_false(armed_now());
}

/* Does a tick that comes so long after the last trap, at `instruction`, choose what to watch? It says why not by a count of its own. */
static bool is_chosen(uintptr_t instruction, uint64_t behind_ns)
{
    struct access_thread *at = thread_self->access;
    uint64_t reentered = process_record->dropped[DB_DROP_REENTERED];
    ucontext_t uc;
    getcontext(&uc);
    uc.uc_mcontext.gregs[REG_RIP] = (greg_t)instruction;
    thread_self->cpu_ns = at->trap_left_ns + behind_ns;
    thread_self->scratch->has_python_state = true;
    gate_enter();
    access_sample(thread_self, &uc, 1000);
    gate_leave();
    for (unsigned i = 0; i < SEARCH_KINDS; i++) {
        if (at->searches[i].active) {
            search_drop(at, &at->searches[i], DB_DROP_BREAKPOINT_MISSED);
        }
    }
    return process_record->dropped[DB_DROP_REENTERED] == reentered;
}

/* Where the program goes on behind a trap is where a tick strikes that fell due in it: no access of the program's led there. */
static void test_a_tick_that_fell_due_in_a_trap_chooses_nothing(void **state)
{
    (void)state;
    const struct access_thread *at = thread_self->access;
    assert_true(signals_start()); /* for guarded reads; the test's frame has its own handlers before */
    arm(false, &words[8], 0);
    load(&words[8]);
    assert_int_equal(at->trap_instruction, (uintptr_t)load + 3);
    assert_false(is_chosen(at->trap_instruction, 50000));
    assert_true(is_chosen(at->trap_instruction, 200000));
    assert_true(is_chosen((uintptr_t)load, 50000));
}

/*
 * A trap that the gate refuses, and whose handler hits what is watched itself: SIGTRAP is blocked then, and the next comes as soon as
 * it returns. The program goes on none the less.
 */
/* The return slot of a call that has ended lies where the handler has its frames. */
static void test_a_refused_handler_whose_frames_lie_in_a_watched_slot(void **state)
{
    (void)state;
    struct access_thread *at = thread_self->access;
    struct watch_register *slot = &at->registers[ENGINE_SLOT_REGISTER];
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7;
    unsigned stopped = 0;
    arm(false, &words[8], 0);
    for (uintptr_t below = 1024; below < 16384; below += sizeof(uintptr_t)) {
        gate_enter();
        assert_true(watch_register_arm(slot, WATCH_WRITE, frame - below, sizeof(uintptr_t)));
        load(&words[8]);
        gate_leave();
        stopped += slot->stopped;
        scope_close(at);
    }
    assert_true(stopped > 0);
}

/* A handler reads what is watched: here, where the gate is. The watch ends at the next tick, as one whose trap came late. */
static void test_a_refused_handler_that_reads_what_is_watched(void **state)
{
    (void)state;
    struct access_thread *at = thread_self->access;
    struct watch_register *reg = &at->registers[2];
    uint64_t lost = process_record->dropped[DB_DROP_ASYNC_TRAP];
    ucontext_t uc;
    getcontext(&uc);
    arm(false, &words[8], 0);
    gate_enter();
    assert_true(watch_register_arm(reg, WATCH_ACCESS, (uintptr_t)&gate_depth, sizeof gate_depth));
    at->watches[1] = (struct watch){.phase = WATCH_INSIDE, .deadline_ns = UINT64_MAX};
    load(&words[8]);
    load(&words[8]); /* a trap of another watch behind the gate: the hit is not forgotten for it */
    gate_leave();
    assert_true(reg->stopped);
    access_catch_up(thread_self, &uc, false);
    assert_int_equal(reg->kind, WATCH_OFF);
    assert_int_equal(at->watches[1].phase, WATCH_FREE);
    assert_int_equal(process_record->dropped[DB_DROP_ASYNC_TRAP], lost + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WATCH_TEST(test_two_watches_hit_by_one_instruction),
        WATCH_TEST(test_reading_around_an_armed_watch),
        WATCH_TEST(test_memory_that_goes_away),
        WATCH_TEST(test_a_blocked_sigtrap_ends_the_watch),
        WATCH_TEST(test_recycled_memory_is_told),
        WATCH_TEST(test_what_the_kernel_did),
        WATCH_TEST(test_a_child_leaves_the_watch_alone),
        WATCH_TEST(test_watches_keep_their_registers_and_never_overlap),
        WATCH_TEST(test_armed_time_ends_with_the_watching),
        WATCH_TEST(test_faults_are_told_apart_by_what_was_armed),
        WATCH_TEST(test_a_search_in_vain_ends_at_the_next_tick),
        WATCH_TEST(test_a_tick_that_fell_due_in_a_trap_chooses_nothing),
        WATCH_TEST(test_a_refused_handler_whose_frames_lie_in_a_watched_slot),
        WATCH_TEST(test_a_refused_handler_that_reads_what_is_watched),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
