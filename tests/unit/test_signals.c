/* link: -Wl,--whole-archive shim -Wl,--no-whole-archive */
/*
 * The signals shared with the program: what it sets is what it gets back, and its handlers, default actions and masks work
 * as if the shim were not there. The plain cases compare SIGTRAP (taken) with SIGUSR1 (never taken) step by step.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "child_check.h"
#include "gate.h"
#include "kernel.h"
#include "process.h"
#include "signals.h"
#include "signals_program.h"
#include "stack/guard.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Dispositions belong to a process: each case runs in a forked child. */
static int child_status(void (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const int inherited[] = {SIGTRAP, SIGSEGV, SIGBUS, SIGUSR1};
        for (size_t i = 0; i < sizeof inherited / sizeof inherited[0]; i++) {
            signal(inherited[i], SIG_DFL);
        }
        CHECK(gate_start());
        process_record->pid = (uint32_t)getpid();
        gate_set_phase(GATE_OPEN);
        CHECK(signals_start());
        body();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void assert_passes(void (*body)(void))
{
    assert_int_equal(child_status(body), 0);
}

static void assert_dies(void (*body)(void), int signal_number)
{
    int status = child_status(body);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), signal_number);
}

/* The kernel's own view, behind every wrapper. */
struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

static struct kernel_action kernel_action(int signal_number)
{
    struct kernel_action action;
    CHECK(syscall(SYS_rt_sigaction, signal_number, NULL, &action, 8) == 0);
    return action;
}

static volatile sig_atomic_t calls;
static volatile uintptr_t seen_address, seen_stack;
static sigset_t seen_mask;
static sigjmp_buf back;
static void *nowhere;

static void note(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number, (void)context;
    char here;
    calls++;
    seen_address = (uintptr_t)info->si_addr;
    seen_stack = (uintptr_t)&here;
    pthread_sigmask(SIG_SETMASK, NULL, &seen_mask);
}

static void note_plain(int signal_number)
{
    (void)signal_number;
    calls++;
    pthread_sigmask(SIG_SETMASK, NULL, &seen_mask);
}

static void jump_out(int signal_number)
{
    (void)signal_number;
    siglongjmp(back, 1);
}

/* The fault is meant: no sanitizer shall speak of it. */
__attribute__((no_sanitize("undefined"))) static void fault(void)
{
    *(volatile char *)nowhere = 1;
}

static void same_set(const sigset_t *left, const sigset_t *right, int left_own, int right_own)
{
    for (int i = 1; i < SIGRTMAX; i++) {
        if (i != left_own && i != right_own) {
            CHECK(sigismember(left, i) == sigismember(right, i));
        }
    }
    CHECK(sigismember(left, left_own) == sigismember(right, right_own));
}

static void same_action(int taken, int free_signal)
{
    struct sigaction left, right;
    CHECK(sigaction(taken, NULL, &left) == 0);
    CHECK(sigaction(free_signal, NULL, &right) == 0);
    CHECK(left.sa_handler == right.sa_handler);
    CHECK(left.sa_flags == right.sa_flags);
    same_set(&left.sa_mask, &right.sa_mask, taken, free_signal);
}

static void reports_as_libc(void)
{
    int flags[] = {0, SA_RESTART, SA_SIGINFO, (int)SA_RESETHAND, SA_NODEFER | SA_ONSTACK};
    struct sigaction action = {.sa_handler = note_plain};
    sigaddset(&action.sa_mask, SIGHUP);
    sigaddset(&action.sa_mask, SIGKILL);
    same_action(SIGTRAP, SIGUSR1);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        action.sa_flags = flags[i];
        struct sigaction left, right;
        CHECK(sigaction(SIGTRAP, &action, &left) == 0);
        CHECK(sigaction(SIGUSR1, &action, &right) == 0);
        CHECK(left.sa_handler == right.sa_handler && left.sa_flags == right.sa_flags);
        same_action(SIGTRAP, SIGUSR1);
        raise(SIGTRAP);
        sigset_t trap_mask = seen_mask;
        raise(SIGUSR1);
        same_set(&trap_mask, &seen_mask, SIGTRAP, SIGUSR1);
        same_action(SIGTRAP, SIGUSR1);
    }
    CHECK(calls == 2 * (int)(sizeof flags / sizeof flags[0]));
}

static void kin_as_libc(void)
{
    CHECK(signal(SIGTRAP, note_plain) == signal(SIGUSR1, note_plain));
    same_action(SIGTRAP, SIGUSR1);
    CHECK(siginterrupt(SIGTRAP, 1) == siginterrupt(SIGUSR1, 1));
    same_action(SIGTRAP, SIGUSR1);
    CHECK(signal(SIGTRAP, SIG_IGN) == signal(SIGUSR1, SIG_IGN));
    same_action(SIGTRAP, SIGUSR1);
    CHECK(siginterrupt(SIGTRAP, 0) == siginterrupt(SIGUSR1, 0));
    CHECK(signal(SIGTRAP, note_plain) == signal(SIGUSR1, note_plain));
    same_action(SIGTRAP, SIGUSR1);
    CHECK(sysv_signal(SIGTRAP, note_plain) == sysv_signal(SIGUSR1, note_plain));
    same_action(SIGTRAP, SIGUSR1);
    CHECK(sigset(SIGTRAP, SIG_HOLD) == sigset(SIGUSR1, SIG_HOLD));
    CHECK(sigset(SIGTRAP, note_plain) == sigset(SIGUSR1, note_plain));
    same_action(SIGTRAP, SIGUSR1);
    CHECK(sigignore(SIGTRAP) == sigignore(SIGUSR1));
    same_action(SIGTRAP, SIGUSR1);
    CHECK(signal(SIGTRAP, SIG_ERR) == signal(SIGUSR1, SIG_ERR));
}

static void test_dispositions_are_reported_as_libc_would(void **state)
{
    (void)state;
    assert_passes(reports_as_libc);
    assert_passes(kin_as_libc);
}

static void handler_sees_the_fault(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    sigaddset(&action.sa_mask, SIGUSR2);
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    CHECK(kernel_action(SIGSEGV).handler != note);
    for (int i = 0; i < 1000; i++) {
        if (sigsetjmp(back, 1) == 0) {
            action.sa_sigaction = note;
            CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
            raise(SIGSEGV);
            CHECK(sigismember(&seen_mask, SIGSEGV) == 1 && sigismember(&seen_mask, SIGUSR2) == 1);
            CHECK(sigismember(&seen_mask, SIGTRAP) == 0 && sigismember(&seen_mask, SIGINT) == 0);
            signal(SIGSEGV, jump_out);
            fault();
            CHECK(false);
        }
        CHECK(gate_depth == 0);
    }
    CHECK(calls == 1000);
}

static void map_page(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number, (void)context;
    seen_address = (uintptr_t)info->si_addr;
    CHECK(mprotect(nowhere, 4096, PROT_READ | PROT_WRITE) == 0);
}

/* A handler that mends the fault and returns, as garbage collectors do. */
static void handler_mends_the_fault(void)
{
    nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = map_page, .sa_flags = SA_SIGINFO}, NULL);
    fault();
    CHECK(seen_address == (uintptr_t)nowhere && *(char *)nowhere == 1);
}

static void handler_on_alternate_stack(void)
{
    static char stack[65536];
    CHECK(sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL) == 0);
    sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_ONSTACK}, NULL);
    raise(SIGTRAP);
    CHECK(seen_stack - (uintptr_t)stack < sizeof stack);
    sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = note, .sa_flags = SA_SIGINFO}, NULL);
    raise(SIGTRAP);
    CHECK(seen_stack - (uintptr_t)stack >= sizeof stack);
}

static void one_shot_handler(void)
{
    sysv_signal(SIGSEGV, note_plain);
    raise(SIGSEGV);
    CHECK(calls == 1 && sigismember(&seen_mask, SIGSEGV) == 0);
    raise(SIGSEGV);
    CHECK(false);
}

static void test_handlers_of_the_program_work(void **state)
{
    (void)state;
    assert_passes(handler_sees_the_fault);
    assert_passes(handler_mends_the_fault);
    assert_passes(handler_on_alternate_stack);
    assert_dies(one_shot_handler, SIGSEGV);
}

static void no_core(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

static void default_fault(void)
{
    no_core();
    fault();
}

static void default_raise(void)
{
    no_core();
    raise(SIGTRAP);
}

static void default_breakpoint(void)
{
    no_core();
    __asm__ volatile("int3");
}

static void ignored_fault(void)
{
    no_core();
    signal(SIGSEGV, SIG_IGN);
    raise(SIGSEGV);
    fault();
}

static void default_bus(void)
{
    no_core();
    FILE *file = tmpfile();
    *(volatile char *)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
}

/* As faulthandler ends: the default back, then the signal raised from inside the handler. */
static void restore_and_raise(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void default_after_handler(void)
{
    no_core();
    sigaction(SIGSEGV, &(struct sigaction){.sa_handler = restore_and_raise, .sa_flags = SA_NODEFER}, NULL);
    fault();
    CHECK(false);
}

static void ignored_raise(void)
{
    signal(SIGTRAP, SIG_IGN);
    signal(SIGSEGV, SIG_IGN);
    raise(SIGTRAP);
    raise(SIGSEGV);
}

static void test_default_actions_end_the_process_by_the_same_signal(void **state)
{
    (void)state;
    assert_dies(default_fault, SIGSEGV);
    assert_dies(default_raise, SIGTRAP);
    assert_dies(default_breakpoint, SIGTRAP);
    assert_dies(default_bus, SIGBUS);
    assert_dies(ignored_fault, SIGSEGV);
    assert_dies(default_after_handler, SIGSEGV);
    assert_passes(ignored_raise);
}

/* Guarded reads work whatever the program has set, and it hears nothing of them. */
static void guarded_reads(void)
{
    char byte;
    signal(SIGSEGV, note_plain);
    CHECK(!guard_copy(&byte, nowhere, 1));
    signal(SIGSEGV, SIG_IGN);
    CHECK(!guard_copy(&byte, nowhere, 1));
    signal(SIGSEGV, SIG_DFL);
    CHECK(!guard_copy(&byte, nowhere, 1));
    CHECK(guard_copy(&byte, "x", 1) && byte == 'x' && calls == 0);
}

static void test_guarded_reads_are_not_the_programs(void **state)
{
    (void)state;
    assert_passes(guarded_reads);
}

static void ignored_through_exec(void)
{
    signal(SIGTRAP, SIG_IGN);
    signal(SIGSEGV, note_plain);
    void *ours = (void *)(uintptr_t)kernel_action(SIGSEGV).handler;
    signals_before_exec();
    CHECK((void *)(uintptr_t)kernel_action(SIGTRAP).handler == (void *)(uintptr_t)SIG_IGN);
    CHECK((void *)(uintptr_t)kernel_action(SIGSEGV).handler == ours);
    signals_after_failed_exec();
    CHECK((void *)(uintptr_t)kernel_action(SIGTRAP).handler != (void *)(uintptr_t)SIG_IGN);
}

static void vfork_child_changes_nothing(void)
{
    signal(SIGTRAP, note_plain);
    pid_t child = vfork();
    if (child == 0) {
        struct sigaction old;
        sigaction(SIGTRAP, &(struct sigaction){.sa_handler = SIG_DFL}, &old);
        _exit(old.sa_handler == note_plain && (void *)(uintptr_t)kernel_action(SIGTRAP).handler == NULL ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    struct sigaction now;
    CHECK(sigaction(SIGTRAP, NULL, &now) == 0 && now.sa_handler == note_plain);
    raise(SIGTRAP);
    CHECK(calls == 1);
}

static void test_exec_and_vfork(void **state)
{
    (void)state;
    assert_passes(ignored_through_exec);
    assert_passes(vfork_child_changes_nothing);
}

static volatile sig_atomic_t stop;

static void *change_all_the_time(void *unused)
{
    (void)unused;
    while (!stop) {
        signal(SIGTRAP, note_plain);
        signal(SIGTRAP, SIG_IGN);
    }
    return NULL;
}

static void changed_while_delivered(void)
{
    pthread_t threads[2];
    signal(SIGTRAP, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, change_all_the_time, NULL) == 0);
    }
    for (int i = 0; i < 20000; i++) {
        raise(SIGTRAP);
    }
    stop = 1;
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    CHECK(calls < 20000);
}

static void test_changes_race_with_deliveries(void **state)
{
    (void)state;
    assert_passes(changed_while_delivered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dispositions_are_reported_as_libc_would),
        cmocka_unit_test(test_handlers_of_the_program_work),
        cmocka_unit_test(test_default_actions_end_the_process_by_the_same_signal),
        cmocka_unit_test(test_guarded_reads_are_not_the_programs),
        cmocka_unit_test(test_exec_and_vfork),
        cmocka_unit_test(test_changes_race_with_deliveries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
