/* Counts system calls that a signal cut short, in a thread that computes between them and so gets samples. */
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

static void burn(void)
{
    double sum = 0;
    for (int i = 1; i < 150000; i++) {
        sum += 1.0 / i;
    }
    sink = sum;
}

static int cut(long result)
{
    return result < 0 && errno == EINTR;
}

static int one_round(int waiter, sem_t *never)
{
    struct timespec short_time = {0, 300000}, until;
    struct timeval select_time = {0, 300};
    struct epoll_event event;
    int count = cut(nanosleep(&short_time, NULL)) + cut(poll(NULL, 0, 1));
    burn();
    count += cut(select(0, NULL, NULL, NULL, &select_time)) + cut(usleep(300));
    count += cut(epoll_wait(waiter, &event, 1, 1));
    burn();
    count += clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL) == EINTR;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 300000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return count + cut(sem_timedwait(never, &until));
}

int interrupted(int milliseconds)
{
    struct timespec now;
    sem_t never;
    int waiter = epoll_create1(0), count = 0;
    sem_init(&never, 0, 0);
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t end = now.tv_sec * 1000LL + now.tv_nsec / 1000000 + milliseconds;
    while (now.tv_sec * 1000LL + now.tv_nsec / 1000000 < end) {
        count += one_round(waiter, &never);
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    sem_destroy(&never);
    close(waiter);
    return count;
}
