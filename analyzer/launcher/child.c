/*
 * The program's life under the launcher. It gets a process group of its own, as a shell would give it, so that every
 * signal reaches it exactly once: the terminal's from the kernel, others through the launcher.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/launcher.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

static const int forwarded[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGUSR1,  SIGUSR2, SIGALRM,
                                SIGCONT, SIGTSTP, SIGVTALRM, SIGXCPU, SIGWINCH, SIGPIPE};

struct terminal {
    int descriptor; /* of the controlling terminal, -1 when there is none */
    pid_t launcher_group;
    pid_t child_group;
};

/* Gives the terminal to a group while the other one of ours holds it; a background job takes nothing. */
static void terminal_give(const struct terminal *terminal, pid_t from, pid_t to)
{
    if (terminal->descriptor >= 0 && tcgetpgrp(terminal->descriptor) == from)
        tcsetpgrp(terminal->descriptor, to);
}

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

/* The program stopped: give it the terminal when that is what it waits for, else stop with it and go on with it. */
static void child_stopped(const struct terminal *terminal, int signal_number)
{
    bool wants_terminal = signal_number == SIGTTIN || signal_number == SIGTTOU;
    if (wants_terminal && terminal->descriptor >= 0 && tcgetpgrp(terminal->descriptor) == terminal->launcher_group) {
        terminal_give(terminal, terminal->launcher_group, terminal->child_group);
        kill(-terminal->child_group, SIGCONT);
        return;
    }
    terminal_give(terminal, terminal->child_group, terminal->launcher_group);
    kill(0, SIGSTOP);
    terminal_give(terminal, terminal->launcher_group, terminal->child_group);
    kill(-terminal->child_group, SIGCONT);
}

static int child_wait(const struct terminal *terminal, pid_t pid, const sigset_t *awaited)
{
    for (;;) {
        int status;
        while (waitpid(pid, &status, WNOHANG | WUNTRACED) == pid) {
            if (!WIFSTOPPED(status))
                return status;
            child_stopped(terminal, WSTOPSIG(status));
        }
        siginfo_t info;
        int signal_number = sigwaitinfo(awaited, &info);
        if (signal_number == SIGCONT) {
            terminal_give(terminal, terminal->launcher_group, terminal->child_group);
            kill(-pid, SIGCONT);
        } else if (signal_number > 0 && signal_number != SIGCHLD) {
            kill(pid, signal_number);
        }
    }
}

/* A key that ended the program was meant for the whole job: a script around the launcher waits for it, too. */
static void child_left_terminal(const struct terminal *terminal, int status)
{
    terminal_give(terminal, terminal->child_group, terminal->launcher_group);
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGQUIT))
        kill(0, WTERMSIG(status));
}

int child_run(char **program, pid_t *pid)
{
    sigset_t awaited, old_mask;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        sigaddset(&awaited, forwarded[i]);
    void (*old_child_action)(int) = signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &awaited, &old_mask);

    pid_t launcher = getpid();
    *pid = fork();
    if (*pid < 0) {
        fprintf(stderr, "pieprof: cannot start a process: %s\n", strerror(errno));
        return -1;
    }
    /* Both sides set the group, and a background writer of the terminal's state would be stopped: ignore that. */
    void (*old_output_action)(int) = signal(SIGTTOU, SIG_IGN);
    struct terminal terminal = {
        .descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY),
        .launcher_group = getpgrp(),
        .child_group = *pid ? *pid : getpid(),
    };
    setpgid(*pid, terminal.child_group);
    if (*pid == 0) {
        terminal_give(&terminal, terminal.launcher_group, terminal.child_group);
        signal(SIGTTOU, old_output_action);
        child_exec(program, &old_mask, old_child_action, launcher);
    }
    int status = child_wait(&terminal, *pid, &awaited);
    if (terminal.descriptor >= 0 && tcgetpgrp(terminal.descriptor) == terminal.child_group)
        child_left_terminal(&terminal, status);
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
