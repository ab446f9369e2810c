#include "time/sigtrap_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "pieprof/db.h"
#include "thread.h"

#define PROBE_PERIOD_NS 20000u
#define PROBE_SPIN_NS 200000000
#define PROBE_WAIT_NS 1000000000
#define PROBE_POLL_NS 100000

/* The child's answers, as exit status; 1 to 200 are errno of perf_event_open. */
enum { CHILD_LIVED = 0, CHILD_NO_TRAP = 201 };

enum verdict { UNASKED, USABLE, UNUSABLE };

static enum verdict verdict;
static char reason[DB_REASON_BYTES];

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Contents of a small /proc file as a string; false when unreadable. */
static bool file_read(const char *path, char *text, size_t bytes)
{
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) {
        return false;
    }
    long got = syscall(SYS_read, file, text, bytes - 1);
    syscall(SYS_close, file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static bool debugger_attached(void)
{
    char status[4096];
    const char *line = file_read("/proc/self/status", status, sizeof status) ? strstr(status, "TracerPid:") : NULL;
    return line != NULL && atoi(line + strlen("TracerPid:")) != 0;
}

/* Where events may live: numbers from KERNEL_DESCRIPTOR_MIN up, the clock's and those of four watches at least. */
static bool descriptors_too_few(void)
{
    const rlim_t least = KERNEL_DESCRIPTOR_MIN + 5;
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < least;
}

static int clock_open(void)
{
    struct perf_event_attr attr;
    thread_clock_attributes(&attr, PROBE_PERIOD_NS, 0);
    attr.disabled = 0;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool trap_pending(void)
{
    uint64_t pending = 0;
    syscall(SYS_rt_sigpending, &pending, sizeof pending);
    return ((pending >> (SIGTRAP - 1)) & 1u) != 0;
}

/* In the child, with system calls alone: a kernel that gets this wrong ends it by SIGTRAP. */
static int child_provoke(void)
{
    uint64_t trap_only = UINT64_C(1) << (SIGTRAP - 1);
    prctl(PR_SET_DUMPABLE, 0); /* that death shall leave no core */
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &trap_only, NULL, sizeof trap_only);
    if (clock_open() < 0) {
        return errno < CHILD_NO_TRAP ? errno : EIO;
    }
    for (int64_t end = monotonic_ns() + PROBE_SPIN_NS; monotonic_ns() < end;) {
        if (trap_pending()) {
            return CHILD_LIVED;
        }
    }
    return CHILD_NO_TRAP;
}

/* A fork without exit signal: the program's SIGCHLD handlers and waits never see it. Its wait status, -1 when it hung. */
static int child_run(void)
{
    long child = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
    if (child == 0) {
        syscall(SYS_exit_group, child_provoke());
    }
    int status = -1;
    for (int64_t end = monotonic_ns() + PROBE_WAIT_NS; child > 0 && monotonic_ns() < end;) {
        long ended = syscall(SYS_wait4, child, &status, __WALL | WNOHANG, NULL);
        if (ended != 0 && !(ended < 0 && errno == EINTR)) {
            return ended == child ? status : -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = PROBE_POLL_NS}, NULL);
    }
    if (child > 0) {
        syscall(SYS_kill, child, SIGKILL);
        syscall(SYS_wait4, child, &status, __WALL, NULL);
    }
    return -1;
}

static void explain_refusal(int error)
{
    char paranoid[16] = "?";
    file_read("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof paranoid);
    paranoid[strcspn(paranoid, "\n")] = '\0';
    if ((error == EPERM || error == EACCES) && atoi(paranoid) > 2) {
        snprintf(
            reason, sizeof reason,
            "perf_event_open is not permitted (kernel.perf_event_paranoid is %s): sysctl kernel.perf_event_paranoid=2",
            paranoid);
    } else if (error == EPERM || error == EACCES) {
        snprintf(
            reason, sizeof reason,
            "perf_event_open is not permitted (%s): allow it in the container's seccomp profile or add CAP_PERFMON",
            error == EPERM ? "EPERM" : "EACCES");
    } else if (error == ENOSYS) {
        snprintf(reason, sizeof reason,
                 "perf_event_open is absent (ENOSYS): allow it in the sandbox's seccomp profile, or use a kernel that "
                 "has it");
    } else if (error == EINVAL || error == E2BIG) {
        snprintf(reason, sizeof reason, "the kernel's perf events cannot send SIGTRAP: Linux 5.18 or newer is needed");
    } else {
        snprintf(reason, sizeof reason, "perf_event_open failed (%s)", strerrorname_np(error));
    }
}

static enum verdict probe(void)
{
    if (debugger_attached()) {
        snprintf(reason, sizeof reason, "a debugger or tracer is attached and would get every trap: run without it");
        return UNUSABLE;
    }
    if (descriptors_too_few()) {
        snprintf(reason, sizeof reason,
                 "the limit of open files leaves no descriptors above %d for perf events: ulimit -n 1024",
                 KERNEL_DESCRIPTOR_MIN - 1);
        return UNUSABLE;
    }
    int status = child_run();
    if (status == -1) {
        snprintf(reason, sizeof reason, "the SIGTRAP probe got no answer from its child process");
    } else if (WIFSIGNALED(status)) {
        snprintf(reason, sizeof reason, "a blocked SIGTRAP kills on this kernel: Linux 5.18 or newer is needed");
    } else if (WEXITSTATUS(status) == CHILD_NO_TRAP) {
        snprintf(reason, sizeof reason, "perf events open here but send no SIGTRAP");
    } else if (WEXITSTATUS(status) != CHILD_LIVED) {
        explain_refusal(WEXITSTATUS(status));
    } else {
        return USABLE;
    }
    return UNUSABLE;
}

bool sigtrap_usable(char *why_not, size_t bytes)
{
    if (verdict == UNASKED) {
        int kept_errno = errno;
        verdict = probe();
        errno = kept_errno;
    }
    if (verdict == UNUSABLE && bytes > 0) {
        snprintf(why_not, bytes, "%s", reason);
    }
    return verdict == USABLE;
}
