/* A library whose atfork handlers allocate, as those of several allocators and logging libraries do. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int in_parent, in_child;

static void churn(void)
{
    for (size_t size = 1000; size < 300000; size *= 3) {
        char *volatile buffer = malloc(size);
        memset(buffer, 1, size);
        free(buffer);
    }
}

static void prepare(void)
{
    churn();
}

static void parent(void)
{
    churn();
    in_parent++;
}

static void child(void)
{
    churn();
    in_child = in_parent + 1;
}

__attribute__((constructor)) static void start(void)
{
    pthread_atfork(prepare, parent, child);
}

int atfork_runs_in_parent(void)
{
    return in_parent;
}

int atfork_runs_in_child(void)
{
    return in_child;
}
