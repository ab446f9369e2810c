/*
 * Nothing in a signal says whether its sender meant one process or the group. A witness does: it is in the group, nobody
 * knows its pid, and it blocks everything, so what is pending there (proc(5), /proc/PID/status, ShdPnd) went to the
 * group. It is younger than the launcher: the kernel, which walks a group from its youngest member, reaches it first.
 */
#include "launcher/group.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t witness = -1;
static uint64_t witnessed; /* bit N-1: the group was sent N, and the launcher has not taken its own yet */

void group_watch(void)
{
    pid_t launcher = getpid();
    witness = fork();
    if (witness != 0)
        return;
    /* Open ends of the caller's pipes must not outlive the launcher in here. */
    close_range(0, ~0u, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == launcher)
        pause();
    _exit(0);
}

void group_unwatch(void)
{
    if (witness <= 0)
        return;
    kill(witness, SIGKILL);
    waitpid(witness, NULL, 0);
    witness = -1;
}

static uint64_t group_pending(void)
{
    char path[64], line[256];
    uint64_t pending = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)witness);
    FILE *file = witness > 0 ? fopen(path, "re") : NULL;
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "ShdPnd:", 7) == 0)
            pending = strtoull(line + 7, NULL, 16);
    fclose(file);
    return pending;
}

/* What the launcher has not taken yet. */
static uint64_t group_untaken(void)
{
    sigset_t pending;
    uint64_t bits = 0;
    sigpending(&pending);
    for (int number = 1; number <= SIGRTMAX; number++)
        if (sigismember(&pending, number) == 1)
            bits |= UINT64_C(1) << (number - 1);
    return bits;
}

bool group_was_sent(int signal_number)
{
    uint64_t bit = UINT64_C(1) << (signal_number - 1);
    uint64_t pending = group_pending();
    witnessed |= pending;
    bool sent = (witnessed & bit) != 0;
    witnessed &= group_untaken();
    /* A blocked signal stays pending for ever: a fresh witness has seen nothing. */
    if (pending != 0) {
        group_unwatch();
        group_watch();
    }
    return sent;
}
