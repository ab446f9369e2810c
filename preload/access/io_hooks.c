/*
 * Input and output that the kernel does on the program's buffers: its accesses never trap, so they are told to the
 * watches that lie there. While nothing is watched each hook is one load and a jump to the real function, which stays
 * the last thing it does: cancellation, errno and restarts are the real function's own.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "access/io_marks.h"
#include "real.h"

/* A vector is read here as the kernel will: a bad pointer is left for it to refuse. */
static void mark_vector(const struct iovec *vector, int count, enum io_mark mark)
{
    for (int i = 0; vector != NULL && i < count; i++) {
        io_mark((uintptr_t)vector[i].iov_base, vector[i].iov_len, mark);
    }
}

#define WATCHED() (__builtin_expect(atomic_load_explicit(&io_watched, memory_order_relaxed) != 0, 0))

/* result, function, parameters, arguments, buffer, its bytes, what the kernel does to it */
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
      size *count, IO_USED)                                                                                            \
    X(int, madvise, (void *start, size_t bytes, int advice), (start, bytes, advice), start, bytes,                     \
      advice == MADV_DONTNEED || advice == MADV_REMOVE || advice == MADV_FREE ? IO_GONE : 0)                           \
    X(int, munmap, (void *start, size_t bytes), (start, bytes), start, bytes, IO_GONE)

/* The real functions, looked up before the program runs: a signal handler may be the first to call one. */
#define POINTER(result, function, parameters, arguments, buffer, bytes, mark)                                          \
    static __typeof__(&function) real_##function;
IO_BUFFERS(POINTER)
#undef POINTER
static __typeof__(&recvfrom) real_recvfrom;
static __typeof__(&sendto) real_sendto;
static __typeof__(&readv) real_readv;
static __typeof__(&writev) real_writev;
static __typeof__(&mremap) real_mremap;

#define FIND(function) (*(void **)&real_##function = dlsym(RTLD_NEXT, #function))

__attribute__((constructor(101))) static void find_real_functions(void)
{
#define X(result, function, parameters, arguments, buffer, bytes, mark) FIND(function);
    IO_BUFFERS(X)
#undef X
    FIND(recvfrom), FIND(sendto), FIND(readv), FIND(writev), FIND(mremap);
}

/* A library that is initialised before this one may call already. */
#define REAL_FUNCTION(function)                                                                                        \
    (__builtin_expect(real_##function == NULL, 0) ? (FIND(function), real_##function) : real_##function)

#define HOOK(result, function, parameters, arguments, buffer, bytes, mark)                                             \
    INTERPOSED result function parameters                                                                              \
    {                                                                                                                  \
        if (WATCHED()) {                                                                                               \
            io_mark((uintptr_t)(buffer), bytes, (enum io_mark)(mark));                                                 \
        }                                                                                                              \
        return REAL_FUNCTION(function) arguments;                                                                      \
    }
IO_BUFFERS(HOOK)
#undef HOOK

INTERPOSED ssize_t recvfrom(int file, void *restrict to, size_t bytes, int flags, struct sockaddr *restrict from,
                            socklen_t *restrict from_bytes)
{
    if (WATCHED()) {
        io_mark((uintptr_t)to, bytes, IO_REWRITTEN);
    }
    return REAL_FUNCTION(recvfrom)(file, to, bytes, flags, from, from_bytes);
}

INTERPOSED ssize_t sendto(int file, const void *from, size_t bytes, int flags, const struct sockaddr *to,
                          socklen_t to_bytes)
{
    if (WATCHED()) {
        io_mark((uintptr_t)from, bytes, IO_USED);
    }
    return REAL_FUNCTION(sendto)(file, from, bytes, flags, to, to_bytes);
}

INTERPOSED ssize_t readv(int file, const struct iovec *vector, int count)
{
    if (WATCHED()) {
        mark_vector(vector, count, IO_REWRITTEN);
    }
    return REAL_FUNCTION(readv)(file, vector, count);
}

INTERPOSED ssize_t writev(int file, const struct iovec *vector, int count)
{
    if (WATCHED()) {
        mark_vector(vector, count, IO_USED);
    }
    return REAL_FUNCTION(writev)(file, vector, count);
}

INTERPOSED void *mremap(void *start, size_t old_bytes, size_t new_bytes, int flags, ...)
{
    __builtin_va_list more;
    __builtin_va_start(more, flags);
    void *wanted = (flags & MREMAP_FIXED) != 0 ? __builtin_va_arg(more, void *) : NULL;
    __builtin_va_end(more);
    if (WATCHED()) {
        io_mark((uintptr_t)start, old_bytes, IO_GONE);
    }
    return REAL_FUNCTION(mremap)(start, old_bytes, new_bytes, flags, wanted);
}
