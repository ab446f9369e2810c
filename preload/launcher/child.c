/*
 * The program's life under the launcher. It stays in the launcher's process group, as if the launcher were not there:
 * what the terminal or anybody sends to the group reaches it by itself, what is sent to the launcher is passed on.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/group.h"
#include "launcher/launcher.h"
#include "launcher/stop.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

_Noreturn static void child_exec(char **program, const sigset_t *mask, void (*old_child_action)(int), pid_t launcher)
{
    /* A killed launcher takes the program along, as if the signal had been the program's own. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher)
        raise(SIGKILL);
    signal(SIGCHLD, old_child_action);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(program[0], program);
    int error = errno;
    fprintf(stderr, "pieprof: cannot run %s: %s\n", program[0], strerror(error));
    _exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

/* Signals that the terminal sends to its foreground group, whether the program is still in that group or not. */
static bool child_terminal_signal(int signal_number)
{
    return signal_number == SIGINT || signal_number == SIGQUIT || signal_number == SIGTSTP ||
           signal_number == SIGWINCH || signal_number == SIGTTIN || signal_number == SIGTTOU;
}

/* Passes on what reached the launcher alone. */
static void child_forward(pid_t pid, const siginfo_t *info)
{
    bool from_process = info->si_code <= 0;
    bool in_group = getpgid(pid) == getpgrp();
    if (group_was_sent(info->si_signo) && (in_group || !from_process))
        return;
    if (!from_process && child_terminal_signal(info->si_signo))
        return;
    if (info->si_signo == SIGCONT && stop_was_ended_by(info->si_pid))
        return;
    if (info->si_code == SI_QUEUE)
        sigqueue(pid, info->si_signo, info->si_value);
    else
        kill(pid, info->si_signo);
}

static int child_wait(pid_t pid, const sigset_t *awaited)
{
    for (;;) {
        int status;
        while (waitpid(pid, &status, WNOHANG | WUNTRACED) == pid) {
            if (!WIFSTOPPED(status))
                return status;
            /* The signal that continues the launcher is then passed on like any other. */
            stop_with(pid);
        }
        siginfo_t info;
        int signal_number = sigwaitinfo(awaited, &info);
        if (signal_number > 0 && signal_number != SIGCHLD)
            child_forward(pid, &info);
    }
}

int child_run(char **program)
{
    /* All: a fault of the launcher's own ends it none the less, for the kernel does not let one be blocked. */
    sigset_t awaited, old_mask;
    sigfillset(&awaited);
    void (*old_child_action)(int) = signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &awaited, &old_mask);

    pid_t launcher = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        fprintf(stderr, "pieprof: cannot start a process: %s\n", strerror(errno));
        return -1;
    }
    if (pid == 0)
        child_exec(program, &old_mask, old_child_action, launcher);
    group_watch();
    int status = child_wait(pid, &awaited);
    group_unwatch();
    return status;
}

_Noreturn void child_die_alike(int status)
{
    fflush(NULL);
    if (!WIFSIGNALED(status))
        _exit(WEXITSTATUS(status));
    int signal_number = WTERMSIG(status);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(signal_number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal_number);
    kill(getpid(), signal_number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    _exit(128 + signal_number);
}
