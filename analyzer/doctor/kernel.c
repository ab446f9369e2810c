/* What the kernel grants: perf events, breakpoints, counters. Each is tried, on this process alone. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memory.h"
#include "doctor/check.h"

#define BREAKPOINTS_TRIED 8

/* Bits of perf_event_attr behind those old headers name: sigtrap and what it asks for (Linux 5.13). */
static int perf_open(struct perf_event_attr *attr)
{
    attr->size = sizeof(*attr);
    attr->exclude_kernel = 1;
    attr->exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct checked refused(int error, const char *what)
{
    struct checked checked = {.state = CHECK_OFF, .text = memory_print("%s: %s", what, strerror(error))};
    if (error == EPERM || error == EACCES)
        checked.remedy =
            "allow perf_event_open: `sysctl kernel.perf_event_paranoid=2` on the host, and in a container a seccomp "
            "profile that permits it (docker: --security-opt seccomp=..., or --cap-add PERFMON)";
    else if (error == ENOSYS)
        checked.remedy =
            "a system call filter hides perf_event_open, or the kernel was built without CONFIG_PERF_EVENTS";
    else
        checked.remedy = "Linux 5.13 or newer is needed (5.18 to be safe from blocked signals)";
    return checked;
}

struct checked check_kernel(void)
{
    struct utsname name;
    unsigned major = 0, minor = 0;
    uname(&name);
    sscanf(name.release, "%u.%u", &major, &minor);
    struct checked checked = {.state = CHECK_OK, .text = memory_print("%s %s", name.release, name.machine)};
    if (strcmp(name.machine, "x86_64") != 0) {
        checked.state = CHECK_OFF;
        checked.remedy = "the access engine knows x86-64 alone so far; time is measured everywhere";
    } else if (major < 5 || (major == 5 && minor < 18)) {
        checked.state = CHECK_OFF;
        checked.remedy = "synchronous traps are safe from Linux 5.18 on; below, the access engine stays off";
    }
    return checked;
}

struct checked check_paranoid(void)
{
    int level = 0;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (file == NULL)
        return (struct checked){.state = CHECK_OFF,
                                .text = memory_print("the kernel has no perf events"),
                                .remedy = "a kernel with CONFIG_PERF_EVENTS"};
    int got = fscanf(file, "%d", &level);
    fclose(file);
    struct checked checked = {.state = CHECK_OK, .text = memory_print("%d", level)};
    if (got == 1 && level > 2 && geteuid() != 0) {
        checked.state = CHECK_OFF;
        checked.remedy = "`sysctl kernel.perf_event_paranoid=2` as root";
    }
    return checked;
}

struct checked check_seccomp(void)
{
    char row[256];
    int mode = 0, tracer = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file != NULL && fgets(row, sizeof(row), file) != NULL) {
        sscanf(row, "Seccomp: %d", &mode);
        sscanf(row, "TracerPid: %d", &tracer);
    }
    if (file != NULL)
        fclose(file);
    if (tracer != 0)
        return (struct checked){.state = CHECK_OFF,
                                .text = memory_print("a debugger (process %d) holds this process", tracer),
                                .remedy = "the access engine needs the traps a debugger takes: run without it"};
    return (struct checked){.state = mode == 0 ? CHECK_OK : CHECK_NOTE,
                            .text =
                                memory_print("%s", mode == 0 ? "none" : "one is in place (a container's, probably)")};
}

struct checked check_clock(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .sample_period = 1000000000};
    attr.disabled = 1;
    attr.sigtrap = 1;
    attr.remove_on_exec = 1;
    int descriptor = perf_open(&attr);
    if (descriptor < 0)
        return refused(errno, "perf_event_open refuses the task clock (a timer of 250 Hz serves instead)");
    close(descriptor);
    return (struct checked){.state = CHECK_OK, .text = memory_print("perf task clock with synchronous traps")};
}

struct checked check_breakpoints(void)
{
    static uint64_t words[BREAKPOINTS_TRIED];
    int descriptors[BREAKPOINTS_TRIED], count = 0, error = 0;
    for (; count < BREAKPOINTS_TRIED; count++) {
        struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT, .sample_period = 1};
        attr.bp_type = HW_BREAKPOINT_RW;
        attr.bp_addr = (uintptr_t)&words[count];
        attr.bp_len = HW_BREAKPOINT_LEN_8;
        attr.disabled = 1;
        attr.sigtrap = 1;
        attr.remove_on_exec = 1;
        descriptors[count] = perf_open(&attr);
        if (descriptors[count] < 0) {
            error = errno;
            break;
        }
    }
    for (int i = 0; i < count; i++)
        close(descriptors[i]);
    if (count == 0)
        return refused(error, "no data breakpoint: the access engine is off");
    struct checked checked = {.state = count >= 4 ? CHECK_OK : CHECK_OFF,
                              .text = memory_print("%d data breakpoints", count)};
    checked.remedy = "another user of breakpoints (a debugger, perf) holds the others";
    return checked;
}

struct checked check_pmu(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES};
    attr.disabled = 1;
    int descriptor = perf_open(&attr);
    if (descriptor >= 0) {
        close(descriptor);
        return (struct checked){.state = CHECK_OK,
                                .text = memory_print("the processor counts cycles; PIEPROF_EVENTS can be used")};
    }
    if (errno == ENOENT || errno == EOPNOTSUPP)
        return (struct checked){.state = CHECK_OFF,
                                .text = memory_print("none (a virtual machine without a PMU)"),
                                .remedy = "only PIEPROF_EVENTS needs them; the hypervisor must pass the PMU through"};
    return refused(errno, "perf_event_open refuses hardware events");
}
