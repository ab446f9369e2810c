/* link: shim */
/* Guarded reads: whole, cut by an unmapped page, from nowhere; and faults that are not theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "stack/guard.h"
#include "thread.h"

#define PAGE_BYTES 4096u

static int faults;
static sigjmp_buf foreign;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    faults++;
    if (!guard_recover(context)) {
        siglongjmp(foreign, 1);
    }
}

/* Called by the tests themselves: cmocka puts its own handlers in place before each. */
static void *install(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    char *pages = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + PAGE_BYTES, PAGE_BYTES);
    for (unsigned i = 0; i < PAGE_BYTES; i++) {
        pages[i] = (char)(i * 7);
    }
    faults = 0;
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
    return pages;
}

static void test_copies_every_length(void **state)
{
    (void)state;
    const char *from = install();
    for (size_t length = 0; length < 200; length++) {
        for (size_t start = 0; start < 9; start++) {
            char to[201];
            memset(to, 0x55, sizeof to);
            assert_true(guard_copy(to, from + start, length));
            assert_memory_equal(to, from + start, length);
            assert_int_equal(to[length], 0x55);
        }
    }
    assert_int_equal(faults, 0);
}

static void test_fails_at_the_end_of_a_mapping(void **state)
{
    (void)state;
    const char *from = install();
    char to[200];
    for (size_t left = 0; left < sizeof to; left++) {
        const char *start = from + PAGE_BYTES - left;
        assert_true(guard_copy(to, start, left));
        assert_false(guard_copy(to, start, left + 1));
    }
    assert_int_equal(faults, sizeof to);
}

static void test_words(void **state)
{
    (void)state;
    const char *from = install();
    uintptr_t word = 0;
    uintptr_t expected = 0;
    memcpy(&expected, from + 3, sizeof expected);
    assert_true(guard_word(&word, (uintptr_t)from + 3));
    assert_int_equal(word, expected);
    assert_false(guard_word(&word, 0));
    assert_false(guard_word(&word, (uintptr_t)from + PAGE_BYTES));
    assert_false(guard_word(&word, UINT64_C(0x8000000000000000)));
    assert_int_equal(faults, 3);
}

static void test_leaves_other_faults_alone(void **state)
{
    (void)state;
    install();
    volatile uintptr_t address = 8;
    if (sigsetjmp(foreign, 1) == 0) {
        *(volatile int *)address = 1;
        fail();
    }
    assert_int_equal(faults, 1);
}

/* A fault then ends the process without asking a handler. */
static void test_reads_where_the_signals_are_blocked(void **state)
{
    (void)state;
    char *pages = install();
    char to[16];
    static struct thread self = {.faults_blocked = true};
    sigset_t all, before;
    sigfillset(&all);
    thread_self = &self;
    sigprocmask(SIG_BLOCK, &all, &before);
    bool whole = guard_copy(to, pages, sizeof to);
    bool cut = guard_copy(to, pages + PAGE_BYTES - 8, sizeof to);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_false(guard_copy(to, pages + PAGE_BYTES - 8, sizeof to)); /* noted, nothing blocked: as ever */
    thread_self = NULL;
    assert_true(whole);
    assert_false(cut);
    assert_int_equal(faults, 1);
    munmap(pages, PAGE_BYTES);
}

struct link {
    uintptr_t left, right;
    struct link *next;
    uint8_t kind;
};

/* From a holder at one remove, and at two; what is passed over, what is nowhere, what goes round. */
static void test_follows_a_chain_from_its_holder(void **state)
{
    (void)state;
    install();
    struct link last = {5, 6, NULL, 0}, passed = {3, 4, &last, 3}, first = {1, 2, &passed, 0};
    struct {
        uintptr_t other;
        const void *head;
    } near = {9, &first}, far = {9, &near};
    struct guard_chain_layout layout = {.left = offsetof(struct link, left),
                                        .right = offsetof(struct link, right),
                                        .next = offsetof(struct link, next),
                                        .kind = offsetof(struct link, kind),
                                        .kind_skipped = 3,
                                        .head_count = 1,
                                        .heads = {8, 8}};
    const uintptr_t expected[6] = {(uintptr_t)&first, 1, 2, (uintptr_t)&last, 5, 6};
    uintptr_t to[9] = {0};
    assert_int_equal(guard_chain(to, (uintptr_t)&near, &layout, 3), 2);
    assert_memory_equal(to, expected, sizeof expected);
    assert_int_equal(guard_chain(to, (uintptr_t)&near, &layout, 1), 1);
    layout.head_count = 2;
    memset(to, 0, sizeof to);
    assert_int_equal(guard_chain(to, (uintptr_t)&far, &layout, 3), 2);
    assert_memory_equal(to, expected, sizeof expected);
    far.head = NULL;
    assert_int_equal(guard_chain(to, (uintptr_t)&far, &layout, 3), 0);
    assert_int_equal(faults, 0);
    far.head = (const void *)8;
    assert_int_equal(guard_chain(to, (uintptr_t)&far, &layout, 3), 0);
    assert_int_equal(faults, 1);
    far.head = &near;
    last.next = &last;
    assert_int_equal(guard_chain(to, (uintptr_t)&far, &layout, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_every_length),
        cmocka_unit_test(test_fails_at_the_end_of_a_mapping),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_leaves_other_faults_alone),
        cmocka_unit_test(test_reads_where_the_signals_are_blocked),
        cmocka_unit_test(test_follows_a_chain_from_its_holder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
