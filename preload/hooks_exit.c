/*
 * The ways out of a process that run no destructor: _exit, and exec into another program. They are called in vfork
 * children too (subprocess does), which share this memory: process_finish and process_exec_begin tell by the raw process id.
 * Inside libc they call each other by internal names, so each needs a hook of its own. A raw system call escapes them: a
 * program that comes back under the shim marks its predecessor's record itself (ledger_mark_replaced), but a tick of the
 * clock inside that call reaches the new program, which it kills.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include "gate.h"
#include "kernel.h"
#include "process.h"
#include "real.h"
#include "signals.h"

static void hooks_exit_mark(int status)
{
    if (*gate_phase_word == GATE_OPEN) {
        process_note_status(status);
        process_finish(DB_END_EXIT);
    }
}

INTERPOSED void _exit(int status)
{
    hooks_exit_mark(status);
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

/* Calls the real function of exec's kin with the process's record marked, and stays only when that failed. */
#define EXEC_MARKED(function, arguments)                                                                               \
    if (REAL(function) == NULL) {                                                                                      \
        errno = ENOSYS;                                                                                                \
        return -1;                                                                                                     \
    }                                                                                                                  \
    bool marked = process_exec_begin();                                                                                \
    signals_before_exec();                                                                                             \
    return hooks_exit_exec_failed(marked, REAL(function) arguments)

#define HOOK_EXEC(function, parameters, arguments)                                                                     \
    INTERPOSED int function parameters                                                                                 \
    {                                                                                                                  \
        EXEC_MARKED(function, arguments);                                                                              \
    }

HOOK_EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
HOOK_EXEC(execv, (const char *path, char *const argv[]), (path, argv))
HOOK_EXEC(execvp, (const char *file, char *const argv[]), (file, argv))
HOOK_EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
HOOK_EXEC(fexecve, (int descriptor, char *const argv[], char *const envp[]), (descriptor, argv, envp))
HOOK_EXEC(execveat, (int directory, const char *path, char *const argv[], char *const envp[], int flags),
          (directory, path, argv, envp, flags))

/* Words of a list that NULL ends, that included. */
static size_t hooks_exit_count_words(const char *word, va_list words)
{
    size_t count = 1;
    while (word != NULL) {
        word = va_arg(words, const char *);
        count++;
    }
    return count;
}

/* The list as exec's array; the environment, which follows in execle's, where it is asked for. */
static void hooks_exit_take_words(char *argv[], char *const **envp, const char *word, va_list words)
{
    while (word != NULL) {
        *argv++ = (char *)(uintptr_t)word;
        word = va_arg(words, const char *);
    }
    *argv = NULL;
    if (envp != NULL) {
        *envp = va_arg(words, char *const *);
    }
}

/* As libc does it: the array on the stack, for a vfork child may neither allocate nor count on any bound. */
#define HOOK_EXEC_LIST(function, target, arguments, environment)                                                       \
    INTERPOSED int function(const char *path, const char *word, ...)                                                   \
    {                                                                                                                  \
        va_list words;                                                                                                 \
        va_start(words, word);                                                                                         \
        char **argv = __builtin_alloca(hooks_exit_count_words(word, words) * sizeof *argv);                            \
        va_end(words);                                                                                                 \
        char *const *envp = NULL;                                                                                      \
        va_start(words, word);                                                                                         \
        hooks_exit_take_words(argv, environment, word, words);                                                         \
        va_end(words);                                                                                                 \
        (void)envp;                                                                                                    \
        EXEC_MARKED(target, arguments);                                                                                \
    }

HOOK_EXEC_LIST(execl, execv, (path, argv), NULL)
HOOK_EXEC_LIST(execlp, execvp, (path, argv), NULL)
HOOK_EXEC_LIST(execle, execve, (path, argv, envp), &envp)
