#include "access/armed.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "thread.h"

static SHIM_THREAD_LOCAL unsigned armed_count;
static SHIM_THREAD_LOCAL struct armed_time since, sum;
static SHIM_THREAD_LOCAL struct armed_time taken_at; /* the clocks up to where it was asked */

static struct armed_time clocks(void)
{
    struct rusage usage = {0};
    syscall(SYS_getrusage, RUSAGE_THREAD, &usage);
    return (struct armed_time){
        .ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID),
        .kernel_ns = (uint64_t)usage.ru_stime.tv_sec * 1000000000 + (uint64_t)usage.ru_stime.tv_usec * 1000,
        .faults = (uint64_t)usage.ru_minflt,
    };
}

static void add_up_to(struct armed_time now)
{
    sum.ns += now.ns - since.ns;
    sum.kernel_ns += now.kernel_ns - since.kernel_ns;
    sum.faults += now.faults - since.faults;
    since = now;
}

void armed_more(void)
{
    if (armed_count++ == 0) {
        since = clocks();
    }
}

void armed_less(void)
{
    if (--armed_count == 0) {
        add_up_to(clocks());
    }
}

bool armed_now(void)
{
    return armed_count > 0;
}

struct armed_time armed_take(void)
{
    if (armed_count > 0) {
        add_up_to(clocks());
    }
    if (since.kernel_ns < taken_at.kernel_ns || since.faults < taken_at.faults) {
        taken_at = (struct armed_time){0}; /* a forked child's clocks began anew */
    }
    sum.other_kernel_ns = since.kernel_ns - taken_at.kernel_ns - sum.kernel_ns;
    sum.other_faults = since.faults - taken_at.faults - sum.faults;
    struct armed_time taken = sum;
    taken_at = since;
    sum = (struct armed_time){0};
    return taken;
}

void armed_forget(void)
{
    armed_count = 0;
    since = sum = taken_at = (struct armed_time){0};
}
