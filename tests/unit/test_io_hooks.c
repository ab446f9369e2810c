/* link: -Wl,--whole-archive shim -Wl,--no-whole-archive */
/* What the kernel does to a watched buffer on the program's behalf is told to its watch, whichever call asked for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "access/io_marks.h"

ssize_t __read_chk(int file, void *to, size_t bytes, size_t room);

static char buffer[64], other[64];
static struct io_range *range;
static int file, ends[2];
static struct iovec vector[2] = {{other, 8}, {buffer, 64}};
static struct mmsghdr message = {.msg_hdr = {.msg_iov = vector, .msg_iovlen = 2}};

static uint32_t marks(void)
{
    return atomic_exchange(&range->marks, 0);
}

/* The call succeeds, leaves errno alone, and marks the watch in `buffer`. */
#define CHECK_MARKS(call, bytes, expected)                                                                             \
    do {                                                                                                               \
        errno = 77;                                                                                                    \
        assert_int_equal(call, bytes);                                                                                 \
        assert_int_equal(errno, 77);                                                                                   \
        assert_int_equal(marks(), expected);                                                                           \
    } while (0)

static void test_files(void **state)
{
    (void)state;
    CHECK_MARKS(pwrite(file, buffer, 64, 0), 64, IO_USED);
    CHECK_MARKS(pwrite64(file, buffer, 64, 64), 64, IO_USED);
    CHECK_MARKS(pread(file, buffer, 64, 0), 64, IO_REWRITTEN);
    CHECK_MARKS(pread64(file, buffer, 64, 0), 64, IO_REWRITTEN);
    CHECK_MARKS(__read_chk(file, buffer, 64, 64), 64, IO_REWRITTEN);
    CHECK_MARKS(pwrite(file, other, 64, 0), 64, 0);
}

static void test_vectors(void **state)
{
    (void)state;
    CHECK_MARKS(pwritev(file, vector, 2, 0), 72, IO_USED);
    CHECK_MARKS(pwritev64(file, vector, 2, 0), 72, IO_USED);
    CHECK_MARKS(pwritev2(file, vector, 2, 0, 0), 72, IO_USED);
    CHECK_MARKS(pwritev64v2(file, vector, 2, 0, 0), 72, IO_USED);
    CHECK_MARKS(preadv(file, vector, 2, 0), 72, IO_REWRITTEN);
    CHECK_MARKS(preadv64(file, vector, 2, 0), 72, IO_REWRITTEN);
    CHECK_MARKS(preadv2(file, vector, 2, 0, 0), 72, IO_REWRITTEN);
    CHECK_MARKS(preadv64v2(file, vector, 2, 0, 0), 72, IO_REWRITTEN);
    CHECK_MARKS(pwritev(file, vector, 1, 0), 8, 0);
    volatile int refused = -1;
    assert_int_equal(writev(file, vector, refused), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(marks(), 0);
}

static void test_messages(void **state)
{
    (void)state;
    CHECK_MARKS(sendmsg(ends[0], &message.msg_hdr, 0), 72, IO_USED);
    CHECK_MARKS(recvmsg(ends[1], &message.msg_hdr, 0), 72, IO_REWRITTEN);
    CHECK_MARKS(sendmmsg(ends[0], &message, 1, 0), 1, IO_USED);
    CHECK_MARKS(recvmmsg(ends[1], &message, 1, 0, NULL), 1, IO_REWRITTEN);
    CHECK_MARKS(sendto(ends[0], buffer, 64, 0, NULL, 0), 64, IO_USED);
    CHECK_MARKS(recvfrom(ends[1], buffer, 64, 0, NULL, NULL), 64, IO_REWRITTEN);
}

static void test_processes_pipes_and_streams(void **state)
{
    (void)state;
    struct iovec from = {buffer, 8}, to = {other, 8};
    CHECK_MARKS(process_vm_readv(getpid(), &to, 1, &from, 1, 0), 8, IO_USED);
    CHECK_MARKS(process_vm_writev(getpid(), &to, 1, &from, 1, 0), 8, IO_REWRITTEN);
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    CHECK_MARKS(vmsplice(pipes[1], &from, 1, 0), 8, IO_USED | IO_REWRITTEN);
    FILE *stream = fdopen(dup(file), "r+");
    assert_non_null(stream);
    assert_int_equal((fwrite_unlocked)(buffer, 8, 8, stream), 8);
    assert_int_equal(marks() & IO_USED, IO_USED);
    rewind(stream);
    marks();
    assert_int_equal((fread_unlocked)(buffer, 8, 8, stream), 8);
    assert_int_equal(marks() & IO_REWRITTEN, IO_REWRITTEN);
    fclose(stream);
}

static int start(void **state)
{
    (void)state;
    file = memfd_create("hooks", 0);
    range = io_range_take();
    if (file < 0 || range == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return 1;
    }
    io_range_set(range, (uintptr_t)buffer, 8);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_processes_pipes_and_streams),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
