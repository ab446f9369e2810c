/*
 * The POSIX timer on the thread's CPU clock, for machines that refuse perf events. It needs no permission; the kernel's
 * tick bounds it (250 Hz on most), and its SIGPROF may cut short what SA_RESTART does not restart (poll, nanosleep).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "signals.h"
#include "thread.h"
#include "time/triggers.h"

static uint64_t kernel_tick_ns; /* the kernel looks at CPU timers this often */

/* The kernel counts timers from 0; NULL must mean none. */
static void *timer_wrap(int id)
{
    return (void *)((intptr_t)id + 1);
}

static int timer_unwrap(void *timer)
{
    return (int)((intptr_t)timer - 1);
}

static int timer_open(struct thread *thread)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    event.sigev_value.sival_int = SIGNALS_COOKIE_TIMER;
    event._sigev_un._tid = thread->tid;
    int id;
    return syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &id) == 0 ? id : -1;
}

static bool timer_probe(char *why_not, size_t bytes)
{
    struct thread probe = {.tid = (pid_t)syscall(SYS_gettid)};
    int id = timer_open(&probe);
    if (id < 0 || !signals_take_sigprof()) {
        snprintf(why_not, bytes, "no CPU timer (%s)", strerrorname_np(errno));
        return false;
    }
    syscall(SYS_timer_delete, id);
    struct timespec tick = {0};
    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    kernel_tick_ns = tick.tv_sec == 0 && tick.tv_nsec > 0 ? (uint64_t)tick.tv_nsec : 1;
    return true;
}

static struct timespec time_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

/* The kernel looks at its next tick, a random part of one later: only whole ones are waited for. */
static bool timer_thread_begin(struct thread *thread)
{
    int id = timer_open(thread);
    if (id < 0) {
        return false;
    }
    thread->timer = timer_wrap(id);
    uint64_t whole_ns = thread->first_tick_ns - thread->first_tick_ns % kernel_tick_ns;
    struct itimerspec setting = {.it_interval = time_of(trigger_period_ns()),
                                 .it_value = time_of(whole_ns > 0 ? whole_ns : 1)};
    return syscall(SYS_timer_settime, id, 0, &setting, NULL) == 0;
}

static void timer_thread_end(struct thread *thread)
{
    if (thread->timer != NULL) {
        syscall(SYS_timer_delete, timer_unwrap(thread->timer));
        thread->timer = NULL;
    }
}

/* Timers are not inherited: the number is nobody's in the child. */
static void timer_thread_forget(struct thread *thread)
{
    thread->timer = NULL;
}

static uint64_t timer_first_tick(struct thread *thread)
{
    uint64_t period_ns = trigger_period_ns();
    uint64_t elapsed_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID) - thread->cpu_ns;
    return (period_ns > kernel_tick_ns ? period_ns : kernel_tick_ns) - elapsed_ns;
}

const struct trigger trigger_timer = {
    "timer", true, timer_probe, timer_thread_begin, timer_thread_end, timer_thread_forget, timer_first_tick, NULL};
