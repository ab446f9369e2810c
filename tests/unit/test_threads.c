/* link: -Wl,--whole-archive shim -Wl,--no-whole-archive */
/* Threads: set up and torn down however they end, descriptors that are ours or not, clocks that tick. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child_check.h"
#include "config.h"
#include "gate.h"
#include "kernel.h"
#include "process.h"
#include "signals.h"
#include "stack/context.h"
#include "stack/module.h"
#include "stack/native.h"
#include "thread.h"
#include "time/sigtrap_probe.h"
#include "time/trigger.h"

static void shim_start(void)
{
    config.rate_hz = 1000;
    config.budget_percent = 100; /* no sample is left out to save time */
    process_record->pid = (uint32_t)getpid();
    process_engine_on(DB_ENGINE_TIME);
    CHECK(gate_start() && signals_start() && context_start() && native_start());
    module_scan();
    CHECK(trigger_choose() != NULL);
    CHECK(thread_begin(true));
    gate_set_phase(GATE_OPEN);
}

static void assert_passes(void (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        shim_start();
        body();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static int descriptors_open(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void spin(double seconds)
{
    double end = cpu_seconds() + seconds;
    while (cpu_seconds() < end) {
        for (volatile int i = 0; i < 10000; i++) {
        }
    }
}

static void *work(void *argument)
{
    spin((double)(intptr_t)argument / 1000);
    return argument;
}

static void samples_arrive(void)
{
    pthread_t thread;
    void *result;
    uint64_t before = process_record->samples;
    CHECK(pthread_create(&thread, NULL, work, (void *)(intptr_t)300) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == (void *)(intptr_t)300);
    uint64_t taken = process_record->samples - before;
    /* 250 Hz where only the timer works, 1,000 else */
    CHECK(taken >= (strcmp(trigger_current->name, "timer") == 0 ? 50u : 200u) && taken <= 330);
    CHECK(process_record->threads == 2);
}

static void *exit_early(void *unused)
{
    CHECK(thread_self != NULL);
    pthread_exit(unused);
}

static void *wait_for_cancel(void *unused)
{
    CHECK(thread_self != NULL);
    for (;;) {
        pause();
    }
    return unused;
}

/* Thousands of threads, ending in each way: neither descriptors nor memory grow. */
static void nothing_leaks(void)
{
    pthread_t thread;
    uint64_t memory = 0;
    int descriptors = descriptors_open();
    for (int i = 0; i < 3000; i++) {
        void *(*const bodies[3])(void *) = {work, exit_early, wait_for_cancel};
        CHECK(pthread_create(&thread, NULL, bodies[i % 3], NULL) == 0);
        if (i % 3 == 2) {
            CHECK(pthread_cancel(thread) == 0);
        }
        CHECK(pthread_join(thread, NULL) == 0);
        if (i == 10) {
            memory = process_record->shim_memory_bytes;
        }
    }
    CHECK(descriptors_open() == descriptors);
    CHECK(process_record->shim_memory_bytes == memory);
    CHECK(process_record->threads >= 2001); /* a thread cancelled early may never have begun */
}

static void many_at_once(void)
{
    pthread_t threads[64];
    int descriptors = descriptors_open();
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 64; i++) {
            CHECK(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)1) == 0);
        }
        for (int i = 0; i < 64; i++) {
            CHECK(pthread_join(threads[i], NULL) == 0);
        }
    }
    CHECK(process_record->threads == 1 + 20 * 64);
    CHECK(process_record->dropped[DB_DROP_THREAD_WITHOUT_CLOCK] == 0);
    CHECK(descriptors_open() == descriptors);
}

static void *report_self(void *unused)
{
    (void)unused;
    return thread_self;
}

static void tiny_stacks_stay_alone(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *self = &thread;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, 16384) == 0);
    CHECK(pthread_create(&thread, &attributes, report_self, NULL) == 0);
    CHECK(pthread_join(thread, &self) == 0 && self == NULL);
    CHECK(process_record->dropped[DB_DROP_THREAD_WITHOUT_CLOCK] == 1);
}

static bool others_are_as(const struct thread_others *before)
{
    struct thread_others now;
    return thread_others_ran(&now) && thread_others_equal(&now, before);
}

/* One that came and is gone again is told, too; and where one was left alone nothing is known any more. */
static void others_that_are_gone_ran(void)
{
    pthread_t thread;
    struct thread_others before;
    CHECK(thread_others_ran(&before) && others_are_as(&before));
    spin(0.01);
    CHECK(others_are_as(&before));
    CHECK(pthread_create(&thread, NULL, report_self, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(!others_are_as(&before));
    CHECK(thread_others_ran(&before) && others_are_as(&before));
    tiny_stacks_stay_alone();
    CHECK(!thread_others_ran(&before));
}

static void no_descriptors_left(void)
{
    pthread_t thread;
    void *self = &thread;
    if (strcmp(trigger_current->name, "perf-task-clock") != 0) {
        return;
    }
    CHECK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, 64}) == 0);
    CHECK(pthread_create(&thread, NULL, report_self, NULL) == 0);
    CHECK(pthread_join(thread, &self) == 0 && self == NULL);
    CHECK(process_record->dropped[DB_DROP_THREAD_WITHOUT_CLOCK] == 1);
}

static void test_threads(void **state)
{
    (void)state;
    assert_passes(samples_arrive);
    assert_passes(nothing_leaks);
    assert_passes(many_at_once);
    assert_passes(tiny_stacks_stay_alone);
    assert_passes(others_that_are_gone_ran);
    assert_passes(no_descriptors_left);
}

static int open_clock(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .size = sizeof attr,
                                   .disabled = 1,
                                   .exclude_kernel = 1};
    return thread_open_event(&attr);
}

static void descriptors_of_others_are_left_alone(void)
{
    int ends[2];
    char text[6] = "";
    int descriptor = open_clock();
    CHECK(descriptor >= KERNEL_DESCRIPTOR_MIN && (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(thread_event_is_ours(descriptor));
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(dup2(ends[0], descriptor) == descriptor); /* closed and taken by the program */
    CHECK(!thread_event_is_ours(descriptor));
    thread_close_event(descriptor);
    thread_stop_event(descriptor);
    CHECK(write(ends[1], "HELLO", 5) == 5 && read(descriptor, text, 5) == 5 && strcmp(text, "HELLO") == 0);
    CHECK(close(descriptor) == 0);

    int second = open_clock(), third = open_clock(); /* an event of somebody else at our number */
    CHECK(dup2(third, second) == second && !thread_event_is_ours(second) && thread_event_is_ours(third));
    thread_close_event(third);
    thread_close_event(third);
    CHECK(fcntl(third, F_GETFD) == -1 && !thread_event_is_ours(-1));
}

static bool is_sampled(void)
{
    uint64_t before = process_record->samples;
    for (int i = 0; i < 50 && process_record->samples <= before + 20; i++) { /* ticks are rare on a busy machine */
        spin(0.1);
    }
    return process_record->samples > before + 20;
}

static void child_closes_and_starts_anew(void)
{
    int clock = thread_self->clock_descriptor;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        gate_depth = 1;
        thread_reset_child();
        CHECK(thread_self == NULL && (clock < 0 || fcntl(clock, F_GETFD) == -1));
        CHECK(thread_begin(true));
        gate_depth = 0;
        gate_set_phase(GATE_OPEN);
        CHECK(is_sampled());
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(is_sampled()); /* the child did not stop the parent's clock */
}

static void test_descriptors_and_fork(void **state)
{
    (void)state;
    if (!sigtrap_usable(NULL, 0)) {
        skip();
    }
    assert_passes(descriptors_of_others_are_left_alone);
    assert_passes(child_closes_and_starts_anew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_descriptors_and_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
