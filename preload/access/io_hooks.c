/*
 * Input and output that the kernel does on the program's buffers: its accesses never trap, so they are told to the
 * watches that lie there. While nothing is watched each hook is one load and a jump to the real function, which stays
 * the last thing it does: cancellation, errno and restarts are the real function's own. Mappings that go away: hooks_mmap.c; fork():
 * hooks_fork.c.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "access/governor.h"
#include "access/io_hook.h"

/* result, function, parameters, arguments, buffer, its bytes, what the kernel does to it. */
#define IO_BUFFERS(X)                                                                                                  \
    X(ssize_t, read, (int file, void *to, size_t bytes), (file, to, bytes), to, bytes, IO_REWRITTEN)                   \
    X(ssize_t, pread, (int file, void *to, size_t bytes, off_t at), (file, to, bytes, at), to, bytes, IO_REWRITTEN)    \
    X(ssize_t, pread64, (int file, void *to, size_t bytes, off_t at), (file, to, bytes, at), to, bytes, IO_REWRITTEN)  \
    X(ssize_t, recv, (int file, void *to, size_t bytes, int flags), (file, to, bytes, flags), to, bytes, IO_REWRITTEN) \
    X(ssize_t, write, (int file, const void *from, size_t bytes), (file, from, bytes), from, bytes, IO_USED)           \
    X(ssize_t, pwrite, (int file, const void *from, size_t bytes, off_t at), (file, from, bytes, at), from, bytes,     \
      IO_USED)                                                                                                         \
    X(ssize_t, pwrite64, (int file, const void *from, size_t bytes, off_t at), (file, from, bytes, at), from, bytes,   \
      IO_USED)                                                                                                         \
    X(ssize_t, send, (int file, const void *from, size_t bytes, int flags), (file, from, bytes, flags), from, bytes,   \
      IO_USED)                                                                                                         \
    X(size_t, fread, (void *to, size_t size, size_t count, FILE *file), (to, size, count, file), to, size *count,      \
      IO_REWRITTEN)                                                                                                    \
    X(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *file), (from, size, count, file), from,      \
      size *count, IO_USED)

/* The real functions, looked up before the program runs: a signal handler may be the first to call one. */
#define POINTER(result, function, parameters, arguments, buffer, bytes, mark)                                          \
    static __typeof__(&function) real_##function;
IO_BUFFERS(POINTER)
#undef POINTER

__attribute__((constructor(101))) static void find_real_functions(void)
{
#define X(result, function, parameters, arguments, buffer, bytes, mark) IO_FIND(function);
    IO_BUFFERS(X)
#undef X
}

#define HOOK(result, function, parameters, arguments, buffer, bytes, mark)                                             \
    INTERPOSED result function parameters                                                                              \
    {                                                                                                                  \
        if (IO_WATCHED()) {                                                                                            \
            io_mark((uintptr_t)(buffer), bytes, (enum io_mark)(mark));                                                 \
        }                                                                                                              \
        return IO_REAL(function) arguments;                                                                            \
    }
IO_BUFFERS(HOOK)
#undef HOOK

IO_POINTER(int, madvise, (void *start, size_t bytes, int advice), , )

__attribute__((constructor(101))) static void find_madvise(void)
{
    IO_FIND(madvise);
}

INTERPOSED int madvise(void *start, size_t bytes, int advice)
{
    if (advice == MADV_HUGEPAGE) {
        governor_expect_huge_pages();
    }
    if (IO_WATCHED() && (advice == MADV_DONTNEED || advice == MADV_REMOVE || advice == MADV_FREE)) {
        io_mark((uintptr_t)start, bytes, IO_GONE);
    }
    return IO_REAL(madvise)(start, bytes, advice);
}
