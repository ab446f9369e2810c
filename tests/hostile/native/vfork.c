/* A vfork child that calls what the shim interposes, in its parent's memory. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int exit_code(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

int vfork_allocates(void)
{
    pid_t child = vfork();
    if (child == 0) {
        for (size_t size = 100; size < 200000; size += 997) {
            char *volatile buffer = malloc(size);
            memset(buffer, 1, size);
            buffer = realloc(buffer, size * 2);
            free(buffer);
        }
        _exit(7);
    }
    return exit_code(child);
}

static volatile sig_atomic_t seen;

static void note(int number)
{
    seen += number;
}

/* The child's dispositions are its own; only the memory that remembers them is shared. */
int vfork_changes_signals(void)
{
    signal(SIGSEGV, note);
    signal(SIGTRAP, note);
    pid_t child = vfork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGTRAP, SIG_IGN);
        _exit(5);
    }
    return exit_code(child);
}

int handler_still_mine(void)
{
    seen = 0;
    raise(SIGSEGV);
    raise(SIGTRAP);
    int before = seen;
    int mine = signal(SIGSEGV, SIG_DFL) == note && signal(SIGTRAP, SIG_DFL) == note;
    return before * 10 + mine;
}

int vfork_execs(const char *path, const char *argument)
{
    pid_t child = vfork();
    if (child == 0) {
        execl(path, path, argument, (char *)NULL);
        _exit(127);
    }
    return exit_code(child);
}
