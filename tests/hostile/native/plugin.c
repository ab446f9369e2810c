/* A plug-in with a parallel region: what it says when it is loaded and unloaded tells whether somebody holds it. */
#include <stdio.h>

static int calls;

__attribute__((constructor)) static void loaded(void)
{
    puts("loaded");
    fflush(stdout);
}

__attribute__((destructor)) static void unloaded(void)
{
    printf("unloaded after %d\n", calls);
    fflush(stdout);
}

int threads_that_ran(void)
{
    int threads = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
    threads++;
    calls++;
    return threads;
}
