/* link: shim -lunwind */
/* The stepper against libunwind: same frames, same stack pointers, from every kind of code a signal may interrupt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "stack/eh_frame.h"
#include "stack/guard.h"
#include "stack/module.h"
#include "stack/native.h"

#define PLAIN __attribute__((noinline, noclone, no_sanitize("address", "undefined"), optimize("omit-frame-pointer")))
#define FRAMED __attribute__((noinline, noclone, optimize("no-omit-frame-pointer")))

struct trace {
    size_t count;
    uintptr_t addresses[NATIVE_DEPTH_MAX], stacks[NATIVE_DEPTH_MAX]; /* stacks[i]: stack pointer inside frame i */
};

static struct native_frame frames[NATIVE_DEPTH_MAX];
static struct native_memory memory;
static struct trace yardstick;
static size_t frame_count;
static bool complete;
static volatile unsigned compared, disagreed;
static volatile int sink;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)info;
    if (!guard_recover(context)) {
        signal(number, SIG_DFL);
    }
}

static void ask_libunwind(ucontext_t *context, struct trace *trace)
{
    unw_cursor_t cursor;
    trace->count = 0;
    if (unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME) != 0) {
        return;
    }
    do {
        unw_word_t value = 0;
        unw_get_reg(&cursor, UNW_REG_IP, &value);
        if (value == 0) {
            return;
        }
        trace->addresses[trace->count] = value;
        unw_get_reg(&cursor, UNW_REG_SP, &value);
        trace->stacks[trace->count++] = value;
    } while (trace->count < NATIVE_DEPTH_MAX && unw_step(&cursor) > 0);
}

static bool agree(void)
{
    bool same = frame_count == yardstick.count && complete;
    for (size_t i = 0; same && i < frame_count; i++) {
        same = frames[i].address == yardstick.addresses[i] && !frames[i].gap &&
               (i + 1 >= frame_count || frames[i].cfa == yardstick.stacks[i + 1]);
    }
    return same;
}

static void print_both(void)
{
    size_t count = frame_count > yardstick.count ? frame_count : yardstick.count;
    printf("# %zu frames%s, libunwind %zu\n", frame_count, complete ? "" : " (cut short)", yardstick.count);
    for (size_t i = 0; i < count; i++) {
        printf("#  %2zu  %lx%s  %lx\n", i, i < frame_count ? frames[i].address : 0, frames[i].gap ? " gap" : "",
               i < yardstick.count ? yardstick.addresses[i] : 0);
    }
}

static void compare(ucontext_t *context)
{
    ask_libunwind(context, &yardstick);
    compared++;
    frame_count = native_unwind(context, frames, NATIVE_DEPTH_MAX, &complete);
    bool alone = agree();
    frame_count = native_unwind_again(context, &memory, frames, NATIVE_DEPTH_MAX, &complete);
    if (!alone || !agree()) {
        disagreed++;
        if (disagreed == 1) {
            print_both();
        }
    }
}

static void on_sample(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    compare(context);
}

static int start(void **state)
{
    (void)state;
    struct sigaction sample = {.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART};
    module_scan();
    compared = disagreed = 0;
    return !native_start() || sigaction(SIGUSR1, &sample, NULL) != 0 || sigaction(SIGPROF, &sample, NULL) != 0;
}

/*
 * In the test, not before it: cmocka puts its own handler of faults in front of each, and guarded reads need theirs.
 * Without a frame pointer: one that was lost in code without rules would end every way through here.
 */
PLAIN static void run_guarded(void **state)
{
    static const struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    const CMUnitTestFunction *test = *state;
    assert_int_equal(sigaction(SIGSEGV, &fault, NULL), 0);
    (*test)(state);
}

static void assert_agreed(unsigned at_least)
{
    assert_int_equal(disagreed, 0);
    assert_true(compared >= at_least);
}

PLAIN static int descend(int depth)
{
    volatile char room[40];
    room[depth % 40] = (char)depth;
    if (depth == 0) {
        raise(SIGUSR1);
        return room[0];
    }
    return descend(depth - 1) + room[depth % 40];
}

FRAMED static int descend_framed(int depth)
{
    volatile char *room = __builtin_alloca((size_t)(depth % 7) * 16 + 16);
    room[0] = (char)depth;
    return depth == 0 ? descend(3) : descend_framed(depth - 1) + room[0];
}

/* An aligned local makes gcc realign the stack: its CFA is an expression. */
FRAMED static int descend_realigned(int depth)
{
    volatile double room[8] __attribute__((aligned(64)));
    room[depth % 8] = depth;
    return depth == 0 ? descend_framed(2) : descend_realigned(depth - 1) + (int)room[depth % 8];
}

static int order(const void *a, const void *b)
{
    if (compared < 50) {
        descend_realigned(2);
    }
    return *(const int *)a - *(const int *)b;
}

static void test_deep_plain_stack(void **state)
{
    (void)state;
    sink = descend(200);
    assert_agreed(1);
    assert_true(frame_count > 200);
}

static void test_frame_pointers_and_alloca(void **state)
{
    (void)state;
    sink = descend_framed(20);
    assert_agreed(1);
}

static void test_realigned_stack(void **state)
{
    (void)state;
    sink = descend_realigned(5);
    assert_agreed(1);
}

static void test_through_qsort(void **state)
{
    (void)state;
    int numbers[100];
    for (int i = 0; i < 100; i++) {
        numbers[i] = (i * 37) % 100;
    }
    qsort(numbers, 100, sizeof numbers[0], order);
    assert_agreed(50);
}

static void nested(int number)
{
    (void)number;
    sink = descend(2);
}

static void test_through_signal_frames(void **state)
{
    (void)state;
    signal(SIGUSR2, nested);
    raise(SIGUSR2);
    assert_agreed(1);
}

static jmp_buf back;

__attribute__((noreturn, noinline)) static void never_returns(void)
{
    raise(SIGUSR1);
    longjmp(back, 1);
}

/* The call is the last instruction: the return address already belongs to what follows. */
__attribute__((noinline)) static void calls_noreturn(void)
{
    never_returns();
}

static void test_noreturn_call(void **state)
{
    (void)state;
    if (setjmp(back) == 0) {
        calls_noreturn();
    }
    assert_agreed(1);
}

static void *in_thread(void *argument)
{
    (void)argument;
    sink = descend(10);
    return NULL;
}

static void test_thread(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
    pthread_join(thread, NULL);
    assert_agreed(1);
}

static double busy_work(int rounds)
{
    double sum = 0;
    char text[64];
    for (int i = 0; i < rounds; i++) {
        sum += sin(i) + strtod("1.5", NULL);
        snprintf(text, sizeof text, "%d %f", i, sum);
        sum += text[0];
        char *memory_piece = malloc((size_t)(i % 1000) + 1);
        memory_piece[0] = (char)i;
        sum += memory_piece[0];
        free(memory_piece);
    }
    return sum;
}

/* Wherever the clock interrupts: prologues, epilogues, PLT stubs, libc and libm. */
static void test_anywhere(void **state)
{
    (void)state;
    struct itimerval every = {.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000};
    struct itimerval never = {0};
    setitimer(ITIMER_PROF, &every, NULL);
    time_t end = time(NULL) + 2;
    while (time(NULL) < end) {
        sink = (int)busy_work(1000);
    }
    setitimer(ITIMER_PROF, &never, NULL);
    printf("# %u samples, %u disagree\n", compared, disagreed);
    assert_true(compared >= 50);
    assert_true(disagreed * 100 <= compared); /* libunwind 1.6 itself errs in some epilogues */
}

/* Code without any unwind description, a frame pointer pushed or not. */
__asm__(".text\n"
        "bare_leaf:\n"
        "    pushq %rbx\n"
        "    subq $32, %rsp\n"
        "    movq %rdi, %rax\n"
        "    call *%rax\n"
        "    addq $32, %rsp\n"
        "    popq %rbx\n"
        "    ret\n");
extern int bare_leaf(int (*call)(void));

static int sample_here(void)
{
    raise(SIGUSR1);
    return 1;
}

FRAMED static int call_bare(void)
{
    return bare_leaf(sample_here) + 1;
}

static bool is_in(uintptr_t address, uintptr_t low)
{
    static struct eh_frame_function function; /* off the stack: its end may look like a return address there */
    const struct module *module = module_find(address);
    return module != NULL && eh_frame_find_function(module, address, &function) && function.low == low;
}

/* A frame pointer that the bare code left alone is its caller's: it leads to that one's caller. */
static void test_resumes_behind_bare_code(void **state)
{
    (void)state;
    sink = call_bare();
    size_t at = 0;
    while (at < frame_count && !frames[at].gap) {
        at++;
    }
    assert_true(at < frame_count);
    assert_true(is_in(frames[at].address, (uintptr_t)call_bare) ||
                is_in(frames[at].address, (uintptr_t)test_resumes_behind_bare_code));
    assert_true(complete);
}

/* The same without a frame pointer and with a frame full of `word`: what earlier calls may have left there. */
__asm__(".text\n"
        "stale_leaf:\n"
        "    pushq %rbp\n"
        "    xorl %ebp, %ebp\n"
        "    subq $1600, %rsp\n"
        "    movq %rdi, %rdx\n"
        "    movq %rsi, %rax\n"
        "    movq %rsp, %rdi\n"
        "    movl $200, %ecx\n"
        "    rep stosq\n"
        "    call *%rdx\n"
        "    addq $1600, %rsp\n"
        "    popq %rbp\n"
        "    ret\n");
extern int stale_leaf(int (*call)(void), uintptr_t word);

/* Not on the stack: unoptimized code would leave copies of it outside the frame that is to be full of it. */
static uintptr_t stale_word;

PLAIN static int call_stale(void)
{
    return stale_leaf(sample_here, stale_word) + 1;
}

static struct trace true_callers;

static void note_stale_word(void)
{
    assert_agreed(1);
    true_callers = yardstick;
    for (size_t i = 0; i < true_callers.count; i++) {
        if (is_in(true_callers.addresses[i], (uintptr_t)descend)) {
            stale_word = true_callers.addresses[i];
        }
    }
    assert_true(stale_word != 0);
}

static void assert_resumed_at_true_caller(uintptr_t caller)
{
    size_t gaps = 0;
    for (size_t i = 0; i < frame_count; i++) {
        uintptr_t address = frames[i].address;
        gaps += frames[i].gap;
        assert_false(is_in(address, (uintptr_t)descend));
        assert_true(gaps == 0 || is_in(address, (uintptr_t)call_stale) || is_in(address, caller) ||
                    address == true_callers.addresses[true_callers.count - (frame_count - i)]);
    }
    assert_int_equal(gaps, 1);
    assert_true(complete);
}

/*
 * Each of the words is a return address, and a step from it leads to another, or past the whole frame and some of its
 * callers'. Only what all these ways share may be taken: a true caller, though perhaps not the nearest.
 */
PLAIN static void test_takes_no_frame_of_an_earlier_call(void **state)
{
    (void)state;
    sink = descend(10);
    note_stale_word();
    sink = call_stale();
    assert_resumed_at_true_caller((uintptr_t)test_takes_no_frame_of_an_earlier_call);
}

static void test_cost(void **state)
{
    (void)state;
    ucontext_t context;
    struct timespec before, after;
    enum { ROUNDS = 20000 };
    getcontext(&context);
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (int i = 0; i < ROUNDS; i++) {
        frame_count = native_unwind(&context, frames, NATIVE_DEPTH_MAX, &complete);
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    double ns = (double)(after.tv_sec - before.tv_sec) * 1e9 + (double)(after.tv_nsec - before.tv_nsec);
    printf("# %zu frames, %.0f ns a frame, warm\n", frame_count, ns / ROUNDS / (double)frame_count);
    assert_true(complete);
}

/* A test by its name, and the function itself as its first state. */
#define TEST(test)                                                                                                     \
    (struct CMUnitTest)                                                                                                \
    {                                                                                                                  \
        .name = #test, .test_func = run_guarded, .setup_func = start, .initial_state = &(CMUnitTestFunction){test},    \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_deep_plain_stack),
        TEST(test_frame_pointers_and_alloca),
        TEST(test_realigned_stack),
        TEST(test_through_qsort),
        TEST(test_through_signal_frames),
        TEST(test_noreturn_call),
        TEST(test_thread),
        TEST(test_anywhere),
        TEST(test_resumes_behind_bare_code),
        TEST(test_takes_no_frame_of_an_earlier_call),
        TEST(test_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
