/* The time of a small allocation and its release, through the program's malloc and through libc's own. */
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

void *__libc_malloc(size_t bytes);
void __libc_free(void *block);

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Nanoseconds for one of `rounds` pairs; `libcs`: not by the names that a preloaded library may have taken. */
double allocation_ns(size_t bytes, long rounds, int libcs)
{
    double start = now_ns();
    if (libcs) {
        for (long i = 0; i < rounds; i++) {
            void *volatile block = __libc_malloc(bytes);
            __libc_free(block);
        }
    } else {
        for (long i = 0; i < rounds; i++) {
            void *volatile block = malloc(bytes);
            free(block);
        }
    }
    return (now_ns() - start) / (double)rounds;
}
