/*
 * Input and output through vectors and messages, between processes, and the forms that _FORTIFY_SOURCE and unlocked
 * streams call. As in io_hooks.c the real function stays the last thing a hook does.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "access/io_hook.h"
#include "access/watch.h"

/* The headers may have them as macros. */
#undef fread_unlocked
#undef fwrite_unlocked

/* A vector is read as the kernel will: one that is not there, or too long, is left for it to refuse. */
static void mark_vector(const struct iovec *vector, size_t count, unsigned marks)
{
    int error = errno;
    struct iovec part;
    for (size_t i = 0; count <= IOV_MAX && i < count && watch_read_memory(&part, (uintptr_t)&vector[i], sizeof part);
         i++) {
        io_mark((uintptr_t)part.iov_base, part.iov_len, (enum io_mark)marks);
    }
    errno = error;
}

static void mark_message(const struct msghdr *message, unsigned marks)
{
    struct msghdr copy;
    int error = errno;
    if (watch_read_memory(&copy, (uintptr_t)message, sizeof copy)) {
        mark_vector(copy.msg_iov, copy.msg_iovlen, marks);
    }
    errno = error;
}

static void mark_messages(const struct mmsghdr *messages, unsigned count, unsigned marks)
{
    for (unsigned i = 0; i < count && i < IOV_MAX; i++) { /* the kernel sends no more at once */
        mark_message(&messages[i].msg_hdr, marks);
    }
}

/* The other side's addresses mean something here only when that process is this one. */
static void mark_remote(pid_t process, const struct iovec *vector, unsigned long count, unsigned marks)
{
    if (process == getpid()) {
        mark_vector(vector, count, marks);
    }
}

/* Declared by the headers only where a program asks for them. */
ssize_t __read_chk(int file, void *to, size_t bytes, size_t room);
ssize_t __pread_chk(int file, void *to, size_t bytes, off_t at, size_t room);
ssize_t __pread64_chk(int file, void *to, size_t bytes, off64_t at, size_t room);
ssize_t __recv_chk(int file, void *to, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int file, void *restrict to, size_t bytes, size_t room, int flags,
                       struct sockaddr *restrict from, socklen_t *restrict from_bytes);
size_t __fread_chk(void *restrict to, size_t room, size_t size, size_t count, FILE *restrict file);
size_t __fread_unlocked_chk(void *restrict to, size_t room, size_t size, size_t count, FILE *restrict file);

#define USED(from, bytes) io_mark((uintptr_t)(from), bytes, IO_USED)
#define REWRITTEN(to, bytes) io_mark((uintptr_t)(to), bytes, IO_REWRITTEN)
#define GIVES(vector, count) mark_vector(vector, (size_t)(count), IO_USED)
#define TAKES(vector, count) mark_vector(vector, (size_t)(count), IO_REWRITTEN)

#define IO_MORE(X)                                                                                                     \
    X(ssize_t, readv, (int file, const struct iovec *vector, int count), (file, vector, count), TAKES(vector, count))  \
    X(ssize_t, writev, (int file, const struct iovec *vector, int count), (file, vector, count), GIVES(vector, count)) \
    X(ssize_t, preadv, (int file, const struct iovec *vector, int count, off_t at), (file, vector, count, at),         \
      TAKES(vector, count))                                                                                            \
    X(ssize_t, pwritev, (int file, const struct iovec *vector, int count, off_t at), (file, vector, count, at),        \
      GIVES(vector, count))                                                                                            \
    X(ssize_t, preadv64, (int file, const struct iovec *vector, int count, off64_t at), (file, vector, count, at),     \
      TAKES(vector, count))                                                                                            \
    X(ssize_t, pwritev64, (int file, const struct iovec *vector, int count, off64_t at), (file, vector, count, at),    \
      GIVES(vector, count))                                                                                            \
    X(ssize_t, preadv2, (int file, const struct iovec *vector, int count, off_t at, int flags),                        \
      (file, vector, count, at, flags), TAKES(vector, count))                                                          \
    X(ssize_t, pwritev2, (int file, const struct iovec *vector, int count, off_t at, int flags),                       \
      (file, vector, count, at, flags), GIVES(vector, count))                                                          \
    X(ssize_t, preadv64v2, (int file, const struct iovec *vector, int count, off64_t at, int flags),                   \
      (file, vector, count, at, flags), TAKES(vector, count))                                                          \
    X(ssize_t, pwritev64v2, (int file, const struct iovec *vector, int count, off64_t at, int flags),                  \
      (file, vector, count, at, flags), GIVES(vector, count))                                                          \
    X(ssize_t, vmsplice, (int pipe, const struct iovec *vector, size_t count, unsigned flags),                         \
      (pipe, vector, count, flags), mark_vector(vector, count, IO_USED | IO_REWRITTEN))                                \
    X(ssize_t, sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags),                   \
      mark_message(message, IO_USED))                                                                                  \
    X(ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags),                         \
      mark_message(message, IO_REWRITTEN))                                                                             \
    X(int, sendmmsg, (int file, struct mmsghdr *messages, unsigned count, int flags), (file, messages, count, flags),  \
      mark_messages(messages, count, IO_USED))                                                                         \
    X(int, recvmmsg, (int file, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout),        \
      (file, messages, count, flags, timeout), mark_messages(messages, count, IO_REWRITTEN))                           \
    X(ssize_t, recvfrom,                                                                                               \
      (int file, void *restrict to, size_t bytes, int flags, struct sockaddr *restrict from,                           \
       socklen_t *restrict from_bytes),                                                                                \
      (file, to, bytes, flags, from, from_bytes), REWRITTEN(to, bytes))                                                \
    X(ssize_t, sendto,                                                                                                 \
      (int file, const void *data, size_t bytes, int flags, const struct sockaddr *to, socklen_t to_bytes),            \
      (file, data, bytes, flags, to, to_bytes), USED(data, bytes))                                                     \
    X(ssize_t, process_vm_readv,                                                                                       \
      (pid_t process, const struct iovec *to, unsigned long to_count, const struct iovec *from,                        \
       unsigned long from_count, unsigned long flags),                                                                 \
      (process, to, to_count, from, from_count, flags),                                                                \
      (TAKES(to, to_count), mark_remote(process, from, from_count, IO_USED)))                                          \
    X(ssize_t, process_vm_writev,                                                                                      \
      (pid_t process, const struct iovec *from, unsigned long from_count, const struct iovec *to,                      \
       unsigned long to_count, unsigned long flags),                                                                   \
      (process, from, from_count, to, to_count, flags),                                                                \
      (GIVES(from, from_count), mark_remote(process, to, to_count, IO_REWRITTEN)))                                     \
    X(size_t, fread_unlocked, (void *restrict to, size_t size, size_t count, FILE *restrict file),                     \
      (to, size, count, file), REWRITTEN(to, size *count))                                                             \
    X(size_t, fwrite_unlocked, (const void *restrict from, size_t size, size_t count, FILE *restrict file),            \
      (from, size, count, file), USED(from, size *count))                                                              \
    X(ssize_t, __read_chk, (int file, void *to, size_t bytes, size_t room), (file, to, bytes, room),                   \
      REWRITTEN(to, bytes))                                                                                            \
    X(ssize_t, __pread_chk, (int file, void *to, size_t bytes, off_t at, size_t room), (file, to, bytes, at, room),    \
      REWRITTEN(to, bytes))                                                                                            \
    X(ssize_t, __pread64_chk, (int file, void *to, size_t bytes, off64_t at, size_t room),                             \
      (file, to, bytes, at, room), REWRITTEN(to, bytes))                                                               \
    X(ssize_t, __recv_chk, (int file, void *to, size_t bytes, size_t room, int flags), (file, to, bytes, room, flags), \
      REWRITTEN(to, bytes))                                                                                            \
    X(ssize_t, __recvfrom_chk,                                                                                         \
      (int file, void *restrict to, size_t bytes, size_t room, int flags, struct sockaddr *restrict from,              \
       socklen_t *restrict from_bytes),                                                                                \
      (file, to, bytes, room, flags, from, from_bytes), REWRITTEN(to, bytes))                                          \
    X(size_t, __fread_chk, (void *restrict to, size_t room, size_t size, size_t count, FILE *restrict file),           \
      (to, room, size, count, file), REWRITTEN(to, size *count))                                                       \
    X(size_t, __fread_unlocked_chk, (void *restrict to, size_t room, size_t size, size_t count, FILE *restrict file),  \
      (to, room, size, count, file), REWRITTEN(to, size *count))

IO_MORE(IO_POINTER)

__attribute__((constructor(101))) static void find_real_functions(void)
{
    IO_MORE(IO_FIND_ROW);
}

IO_MORE(IO_HOOK)
