/* A program without Python that does what the shim hooks: threads, forks, signals, allocation, a fault. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;

static void recover(int number)
{
    siglongjmp(back, number);
}

static void *churn(void *seed)
{
    unsigned long sum = 0;
    for (size_t i = 1; i < 2000; i++) {
        unsigned char *buffer = malloc(i * 16);
        memset(buffer, (int)(long)seed, i * 16);
        sum += buffer[i];
        free(buffer);
    }
    return (void *)sum;
}

static unsigned long run_threads(void)
{
    pthread_t threads[16];
    unsigned long sum = 0;
    for (long i = 0; i < 16; i++) {
        pthread_create(&threads[i], NULL, churn, (void *)i);
    }
    for (int i = 0; i < 16; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (unsigned long)result;
    }
    return sum;
}

int main(void)
{
    int status, faults = 0;
    printf("descriptors %d threads %lu ", open("/dev/null", O_RDONLY), run_threads());
    signal(SIGSEGV, recover);
    if (sigsetjmp(back, 1) == 0) {
        *(volatile int *)8 = 1;
    } else {
        faults++;
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        _exit((int)((unsigned long)churn((void *)3) % 200));
    }
    waitpid(child, &status, 0);
    printf("faults %d child %d\n", faults, WEXITSTATUS(status));
    return 6;
}
