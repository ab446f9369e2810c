/* Threads that end otherwise than by returning: cancelled while blocked or computing, or by pthread_exit. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic int cleaned, destroyed;
static pthread_key_t key;

/* Runs after the shim's own teardown or before it: either way it may allocate. */
static void destroy(void *value)
{
    free(value);
    free(malloc(50000));
    destroyed++;
}

__attribute__((constructor)) static void start(void)
{
    pthread_key_create(&key, destroy);
}

static void cleanup(void *unused)
{
    (void)unused;
    free(malloc(50000));
    cleaned++;
}

static void *block(void *started)
{
    pthread_cleanup_push(cleanup, NULL);
    pthread_setspecific(key, malloc(2000));
    sem_post(started);
    for (;;) {
        pause();
    }
    pthread_cleanup_pop(1);
    return NULL;
}

static volatile double sink;

static void compute(void *started)
{
    pthread_cleanup_push(cleanup, NULL);
    double sum = 0;
    sem_post(started);
    for (long i = 1;; i++) {
        sum += 1.0 / (double)i;
        if (i % 65536 == 0) {
            sink = sum;
            pthread_testcancel();
        }
    }
    pthread_cleanup_pop(1);
}

static void *compute_deferred(void *started)
{
    compute(started);
    return NULL;
}

static void *compute_asynchronous(void *started)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    compute(started);
    return NULL;
}

/* Starts `count` threads, lets each get going, cancels them; the number that ended as cancelled, with cleanup run. */
static int cancel_all(int count, void *(*body)(void *))
{
    pthread_t threads[64];
    sem_t started;
    sem_init(&started, 0, 0);
    int cleaned_before = cleaned, cancelled = 0;
    for (int i = 0; i < count; i++) {
        pthread_create(&threads[i], NULL, body, &started);
    }
    for (int i = 0; i < count; i++) {
        sem_wait(&started);
    }
    usleep(5000);
    for (int i = 0; i < count; i++) {
        pthread_cancel(threads[i]);
    }
    for (int i = 0; i < count; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    sem_destroy(&started);
    return cancelled * 100 + cleaned - cleaned_before;
}

int cancel_blocked(int count)
{
    return cancel_all(count, block);
}

int cancel_computing(int count, int asynchronous)
{
    return cancel_all(count, asynchronous ? compute_asynchronous : compute_deferred);
}

static void *exit_now(void *number)
{
    pthread_setspecific(key, malloc(3000));
    pthread_cleanup_push(cleanup, NULL);
    pthread_exit(number);
    pthread_cleanup_pop(0);
    return NULL;
}

int exit_early(int count)
{
    long sum = 0;
    for (long i = 0; i < count; i++) {
        pthread_t thread;
        void *result = NULL;
        pthread_create(&thread, NULL, exit_now, (void *)i);
        pthread_join(thread, &result);
        sum += (long)result;
    }
    return (int)sum;
}

int destructors_run(void)
{
    return destroyed;
}
