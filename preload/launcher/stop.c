/*
 * A stopped process sees nothing, so another one watches: the waker asks for the program's state (proc(5), /proc/PID/stat), and
 * continues the launcher once the program goes on, or is gone. It asks again until the launcher ends it, so that the
 * launcher may stop at any moment.
 */
#include "launcher/stop.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launcher/stat.h"

#define ASK_EVERY_NS 50000000L

static pid_t waker = -1;

/* The letter of its state, 'T' where a signal has stopped it; 0 where it cannot be read. */
static char state_of(pid_t pid)
{
    char text[STAT_BYTES];
    const char *state = stat_read(pid, text);
    return state ? *state : 0;
}

_Noreturn static void wake(pid_t launcher, pid_t pid)
{
    close_range(0, ~0u, 0); /* open ends of the caller's pipes must not outlive the launcher in here */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == launcher) {
        char state = state_of(pid);
        if (state && state != 'T')
            kill(launcher, SIGCONT);
        nanosleep(&(struct timespec){0, ASK_EVERY_NS}, NULL);
    }
    _exit(0);
}

void stop_with(pid_t pid)
{
    pid_t launcher = getpid();
    waker = fork();
    if (waker == 0)
        wake(launcher, pid);
    raise(SIGSTOP);
    if (waker > 0) {
        kill(waker, SIGKILL);
        waitpid(waker, NULL, 0);
    }
}

bool stop_was_ended_by(pid_t sender)
{
    return waker > 0 && sender == waker;
}
