/* The C library, the kernel, and threads: truth by construction, as in kernels_vector.c. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernels.h"

#define THREADS_MAX 4u

KERNEL(libc_set)
{
    memset(a, (int)(step / 2 & 0x7f), count * 8);
    BARRIER();
    return 0;
}

KERNEL(libc_copy)
{
    memcpy(a, b, count * 8);
    BARRIER();
    return 0;
}

KERNEL(libc_move)
{
    memmove(a, (char *)a + 8 * part, count * 8 - 8 * part);
    BARRIER();
    return 0;
}

/* `part` is a descriptor here, and in the three that follow. */
KERNEL(write_out)
{
    return (uint64_t)write((int)part, a, count * 8);
}

KERNEL(read_in)
{
    return (uint64_t)pread((int)part, a, count * 8, (off_t)(step % 2 * count * 8));
}

KERNEL(send_out)
{
    return (uint64_t)send((int)part, a, count, 0);
}

KERNEL(receive_in)
{
    return (uint64_t)recv((int)part, a, count, MSG_WAITALL);
}

struct slice {
    uint64_t *to;
    size_t count;
    uint64_t step;
};

static void *half_equal(void *argument)
{
    const struct slice *slice = argument;
    equal64(slice->to, NULL, NULL, slice->count, slice->step, PERCENT / 2);
    return NULL;
}

/* `part` threads, this one too, each its own slice. */
KERNEL(threads)
{
    struct slice slice[THREADS_MAX] = {0};
    pthread_t thread[THREADS_MAX];
    for (size_t i = 0; i < part; i++) {
        slice[i] = (struct slice){(uint64_t *)a + i * (count / part), count / part, step};
        if (i > 0 && pthread_create(&thread[i], NULL, half_equal, &slice[i]) != 0) {
            abort();
        }
    }
    half_equal(&slice[0]);
    for (size_t i = 1; i < part; i++) {
        pthread_join(thread[i], NULL);
    }
    return 0;
}
