/*
 * The ways out of a process that run no destructor: _exit, and exec into another program. They are called in vfork
 * children too (subprocess does), which share this memory: process_finish and process_exec_begin tell by the raw process id.
 * execl and its kin, which the interpreter never calls, are left alone: a program that comes back under the shim marks
 * its predecessor's record itself (ledger_mark_replaced).
 */
#include <errno.h>
#include <stdlib.h>

#include "gate.h"
#include "kernel.h"
#include "process.h"
#include "real.h"
#include "signals.h"

static void hooks_exit_mark(void)
{
    if (*gate_phase_word == GATE_OPEN) {
        process_finish(DB_END_EXIT);
    }
}

INTERPOSED void _exit(int status)
{
    hooks_exit_mark();
    if (REAL(_exit) != NULL) {
        REAL(_exit)(status);
    }
    for (;;) {
        syscall(SYS_exit_group, status);
    }
}

INTERPOSED void _Exit(int status)
{
    _exit(status);
}

/* Result of exec: it only returns when it failed, and the program goes on as if nothing had been marked. */
static int hooks_exit_exec_failed(bool marked, int result)
{
    int kept_errno = errno;
    signals_after_failed_exec();
    errno = kept_errno;
    if (marked) {
        process_exec_failed();
    }
    return result;
}

#define HOOK_EXEC(function, parameters, arguments)                                                                     \
    INTERPOSED int function parameters                                                                                 \
    {                                                                                                                  \
        if (REAL(function) == NULL) {                                                                                  \
            errno = ENOSYS;                                                                                            \
            return -1;                                                                                                 \
        }                                                                                                              \
        bool marked = process_exec_begin();                                                                            \
        signals_before_exec();                                                                                         \
        return hooks_exit_exec_failed(marked, REAL(function) arguments);                                               \
    }

HOOK_EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
HOOK_EXEC(execv, (const char *path, char *const argv[]), (path, argv))
HOOK_EXEC(execvp, (const char *file, char *const argv[]), (file, argv))
HOOK_EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
HOOK_EXEC(fexecve, (int descriptor, char *const argv[], char *const envp[]), (descriptor, argv, envp))
