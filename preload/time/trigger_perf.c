/*
 * The thread's own CPU clock as a perf event that sends SIGTRAP. With the kernel's time in it where that is permitted
 * (kernel.perf_event_paranoid <= 1) and harmless: since Linux 6.11 the signal is always raised on the way back to user
 * mode (task_work), before that an interrupt raised it, and a system call about to sleep was cut short with EINTR.
 * Otherwise it fires on user instructions only, and kernel time is charged by the CPU clock to the next sample.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "signals.h"
#include "thread.h"
#include "time/sigtrap_probe.h"
#include "time/triggers.h"

#define CLOCK_PAGE_BYTES 4096u

static bool with_kernel_time;

static bool signals_wait_for_user_mode(void)
{
    struct utsname system;
    int major = 0, minor = 0;
    return uname(&system) == 0 && sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 11));
}

static int clock_open_as(bool kernel_time, uint64_t first_ns)
{
    struct perf_event_attr attr;
    thread_clock_attributes(&attr, first_ns, SIGNALS_COOKIE_CLOCK);
    attr.exclude_kernel = !kernel_time;
    return thread_open_event(&attr);
}

/* A program that gave up its privileges since the probe is refused kernel time for threads it starts from then on. */
static int clock_open(uint64_t first_ns)
{
    int descriptor = clock_open_as(with_kernel_time, first_ns);
    bool refused = descriptor < 0 && with_kernel_time && (errno == EACCES || errno == EPERM);
    return refused ? clock_open_as(false, first_ns) : descriptor;
}

static bool perf_probe(char *why_not, size_t bytes)
{
    if (!sigtrap_usable(why_not, bytes)) {
        return false;
    }
    int descriptor = signals_wait_for_user_mode() ? clock_open_as(true, trigger_period_ns()) : -1;
    with_kernel_time = descriptor >= 0;
    thread_close_event(descriptor);
    return true;
}

/* A mapping holds the event as its descriptor does. Not inherited by forked children (perf_mmap sets VM_DONTCOPY). */
static void clock_hold(struct thread *thread)
{
    long page = syscall(SYS_mmap, NULL, CLOCK_PAGE_BYTES, PROT_READ, MAP_SHARED, thread->clock_descriptor, 0L);
    thread->clock_page = page == -1 ? NULL : (void *)page;
}

static void clock_let_go(struct thread *thread)
{
    if (thread->clock_page != NULL) {
        syscall(SYS_munmap, thread->clock_page, CLOCK_PAGE_BYTES);
        thread->clock_page = NULL;
    }
}

/* The mapping alone holds the clock from now on: it ticks at the pace that it has, and tells no other thread its time. */
static void clock_spare_descriptor(struct thread *thread)
{
    thread_close_event(thread->clock_descriptor);
    thread->clock_descriptor = -1;
}

static bool perf_thread_begin(struct thread *thread)
{
    bool spares = !thread->main && thread_events_are_many();
    if (spares) {
        thread->first_tick_ns = trigger_period_ns();
    }
    thread->clock_descriptor = clock_open(thread->first_tick_ns);
    if (thread->clock_descriptor < 0) {
        return false;
    }
    clock_hold(thread);
    bool runs = syscall(SYS_ioctl, thread->clock_descriptor, PERF_EVENT_IOC_ENABLE, 0) == 0;
    if (runs && spares && thread->clock_page != NULL) {
        clock_spare_descriptor(thread);
    }
    return runs;
}

static void perf_thread_end(struct thread *thread)
{
    thread_stop_event(thread->clock_descriptor);
    clock_let_go(thread);
    thread->clock_descriptor = -1;
}

static void perf_thread_forget(struct thread *thread)
{
    thread_close_event(thread->clock_descriptor);
    thread->clock_page = NULL;
    thread->clock_descriptor = -1;
}

static bool perf_set_period(struct thread *thread, uint64_t period_ns)
{
    return thread_event_is_ours(thread->clock_descriptor) &&
           syscall(SYS_ioctl, thread->clock_descriptor, PERF_EVENT_IOC_PERIOD, &period_ns) == 0;
}

static uint64_t perf_first_tick(struct thread *thread)
{
    uint64_t period_ns = trigger_period_ns();
    perf_set_period(thread, period_ns);
    return period_ns - thread->first_tick_ns;
}

const struct trigger trigger_perf = {"perf-task-clock", false,           perf_probe,
                                     perf_thread_begin, perf_thread_end, perf_thread_forget,
                                     perf_first_tick,   perf_set_period};
