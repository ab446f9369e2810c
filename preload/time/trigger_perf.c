/*
 * The thread's own CPU clock as a perf event that sends SIGTRAP at the interrupted instruction. It fires on user
 * instructions only, so it cuts no system call short; kernel time is charged by the CPU clock to the next sample.
 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config.h"
#include "signals.h"
#include "thread.h"
#include "time/sigtrap_probe.h"
#include "time/triggers.h"

static bool perf_thread_begin(struct thread *thread)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .size = sizeof attr,
        .sample_period = UINT64_C(1000000000) / config.rate_hz,
        .disabled = 1,
        .exclude_kernel = 1,
        .sigtrap = 1,
        .remove_on_exec = 1,
        .sig_data = SIGNALS_COOKIE_CLOCK,
    };
    thread->clock_descriptor = thread_open_event(&attr);
    return thread->clock_descriptor >= 0 &&
           syscall(SYS_ioctl, thread->clock_descriptor, PERF_EVENT_IOC_ENABLE, 0) == 0;
}

static void perf_thread_end(struct thread *thread)
{
    thread_stop_event(thread->clock_descriptor);
    thread->clock_descriptor = -1;
}

static void perf_thread_forget(struct thread *thread)
{
    thread_close_event(thread->clock_descriptor);
    thread->clock_descriptor = -1;
}

const struct trigger trigger_perf = {"perf-task-clock", false,           sigtrap_usable,
                                     perf_thread_begin, perf_thread_end, perf_thread_forget};
