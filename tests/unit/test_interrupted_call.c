/* link: shim */
/* System calls that start again behind the shim's handler: which a waiting signal of the program's ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "interrupted_call.h"

static const unsigned char call[] = {0x0f, 0x05, 0x90};
static const unsigned char no_call[] = {0x90, 0x90, 0x90};

static void ignore(int signal_number)
{
    (void)signal_number;
}

/* All signals are blocked, as in a handler of the shim's, and SIGALRM waits. */
static int start(void **state)
{
    sigset_t all;
    (void)state;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    return raise(SIGALRM);
}

static void handle(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(SIGALRM, &action, NULL);
    raise(SIGALRM); /* one that waits and is ignored is gone */
}

static ucontext_t at(const unsigned char *code, long number, long second)
{
    ucontext_t uc;
    memset(&uc, 0, sizeof uc);
    uc.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)code;
    uc.uc_mcontext.gregs[REG_RAX] = number;
    uc.uc_mcontext.gregs[REG_RSI] = second;
    return uc;
}

static void assert_ends(ucontext_t uc, bool ends)
{
    const greg_t code = uc.uc_mcontext.gregs[REG_RIP], number = uc.uc_mcontext.gregs[REG_RAX];
    interrupted_call_end(&uc);
    assert_int_equal(uc.uc_mcontext.gregs[REG_RIP], ends ? code + 2 : code);
    assert_int_equal(uc.uc_mcontext.gregs[REG_RAX], ends ? -EINTR : number);
}

static void test_a_handler_that_does_not_restart_ends_the_call(void **state)
{
    (void)state;
    handle(ignore, 0);
    assert_ends(at(call, SYS_read, 0), true);
    assert_ends(at(call, SYS_futex, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG), true);
    assert_ends(at(no_call, SYS_read, 0), false);
}

static void test_others_leave_it(void **state)
{
    (void)state;
    handle(ignore, SA_RESTART);
    assert_ends(at(call, SYS_read, 0), false);
    handle(SIG_DFL, 0);
    assert_ends(at(call, SYS_read, 0), false);
    handle(SIG_IGN, 0);
    assert_ends(at(call, SYS_read, 0), false);
}

static void test_calls_that_always_start_again_do(void **state)
{
    (void)state;
    handle(ignore, 0);
    assert_ends(at(call, SYS_fork, 0), false);
    assert_ends(at(call, SYS_clone, 0), false);
    assert_ends(at(call, SYS_execve, 0), false);
    assert_ends(at(call, SYS_futex, FUTEX_LOCK_PI), false);
}

static void test_a_signal_that_the_program_blocks_waits_on(void **state)
{
    (void)state;
    handle(ignore, 0);
    ucontext_t uc = at(call, SYS_read, 0);
    sigaddset(&uc.uc_sigmask, SIGALRM);
    assert_ends(uc, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_handler_that_does_not_restart_ends_the_call),
        cmocka_unit_test(test_others_leave_it),
        cmocka_unit_test(test_calls_that_always_start_again_do),
        cmocka_unit_test(test_a_signal_that_the_program_blocks_waits_on),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
