/*
 * fork(): the child is adopted as it returns there, for it may compute for long, to its end, before it calls anything else that is
 * interposed (CPython from 3.14 on allocates nothing behind it). A raw system call escapes: gate.h.
 */
#include <errno.h>
#include <unistd.h>

#include "access/io_hook.h"
#include "gate.h"

IO_POINTER(pid_t, fork, (void), (), )

__attribute__((constructor(101))) static void find_fork(void)
{
    IO_FIND(fork);
}

INTERPOSED pid_t fork(void)
{
    if (IO_WATCHED()) {
        io_mark(0, SIZE_MAX, IO_USED); /* the child is given all that there is */
    }
    pid_t child = IO_REAL(fork)();
    if (child == 0) {
        int kept_errno = errno;
        if (gate_enter()) {
            gate_leave();
        }
        errno = kept_errno;
    }
    return child;
}
