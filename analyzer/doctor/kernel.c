/* What the kernel grants: perf events, breakpoints, counters. Each is tried, on this process alone. */
#include <errno.h>
#include <limits.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

#define LEVEL_NONE INT_MIN /* of perf_event_paranoid: the kernel has no perf events (-1 is a level) */

static int paranoid_level(void)
{
    int level = LEVEL_NONE;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (file == NULL)
        return LEVEL_NONE;
    if (fscanf(file, "%d", &level) != 1)
        level = LEVEL_NONE;
    fclose(file);
    return level;
}

static bool paranoid_forbids(void)
{
    return paranoid_level() > 2 && geteuid() != 0;
}

/* The number behind `name` in this process's status(5); 0 when it has no such row. */
static int own_status(const char *name)
{
    char row[256];
    int value = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file != NULL && fgets(row, sizeof(row), file) != NULL) {
        if (strncmp(row, name, strlen(name)) == 0)
            value = atoi(row + strlen(name));
    }
    if (file != NULL)
        fclose(file);
    return value;
}

/* What forbids perf events has a row of its own, with the remedy; only what has none is told here. */
static const char *remedy_of(int error)
{
    bool forbidden = error == EPERM || error == EACCES;
    if (forbidden && paranoid_forbids())
        return "perf_event_paranoid, above, is what forbids it";
    if ((forbidden || error == ENOSYS) && own_status("Seccomp:") != 0)
        return "the system call filter, above, is what forbids it";
    if (forbidden)
        return "neither perf_event_paranoid nor a filter forbids it: a security module (SELinux, AppArmor, lockdown) "
               "may";
    if (error == ENOSYS)
        return "the kernel was built without CONFIG_PERF_EVENTS";
    return "Linux 5.13 or newer is needed (5.18 to be safe from blocked signals)";
}

static struct checked refused(int error, const char *what)
{
    return (struct checked){
        .state = CHECK_OFF, .text = memory_print("%s: %s", what, strerror(error)), .remedy = remedy_of(error)};
}

static int open_clock(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .sample_period = 1000000000};
    attr.disabled = 1;
    attr.sigtrap = 1;
    attr.remove_on_exec = 1;
    return perf_open(&attr);
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
    int level = paranoid_level();
    if (level == LEVEL_NONE)
        return (struct checked){.state = CHECK_OFF,
                                .text = memory_print("the kernel has no perf events"),
                                .remedy = "a kernel with CONFIG_PERF_EVENTS"};
    struct checked checked = {.state = CHECK_OK, .text = memory_print("%d", level)};
    if (paranoid_forbids()) {
        checked.state = CHECK_OFF;
        checked.remedy = "`sysctl kernel.perf_event_paranoid=2` as root on the host";
    }
    return checked;
}

struct checked check_seccomp(void)
{
    int tracer = own_status("TracerPid:");
    if (tracer != 0)
        return (struct checked){.state = CHECK_OFF,
                                .text = memory_print("a debugger (process %d) holds this process", tracer),
                                .remedy = "the access engine needs the traps a debugger takes: run without it"};
    if (own_status("Seccomp:") == 0)
        return (struct checked){.state = CHECK_OK, .text = memory_print("none")};
    int descriptor = open_clock(), error = descriptor < 0 ? errno : 0;
    if (descriptor >= 0)
        close(descriptor);
    if (paranoid_forbids() || (error != EPERM && error != EACCES && error != ENOSYS))
        return (struct checked){.state = CHECK_NOTE, .text = memory_print("one is in place (a container's, probably)")};
    return (struct checked){.state = CHECK_OFF,
                            .text = memory_print("one is in place (a container's, probably), and perf_event_open is "
                                                 "refused: %s",
                                                 strerror(error)),
                            .remedy = "a seccomp profile that permits perf_event_open (docker: --security-opt "
                                      "seccomp=..., or --cap-add PERFMON)"};
}

/* The shim's descriptors are 100 and up; it needs five for a start. */
struct checked check_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= 105)
        return (struct checked){.state = CHECK_OK, .text = memory_print("leaves descriptors above 99")};
    return (struct checked){.state = CHECK_OFF,
                            .text = memory_print("leaves no descriptors above 99 for perf events: the access engine is "
                                                 "off, and a timer samples the time"),
                            .remedy = "ulimit -n 1024"};
}

struct checked check_clock(void)
{
    int descriptor = open_clock();
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
