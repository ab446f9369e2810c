/* SIGBUS sent to the thread itself, and a handler that jumps out without a mask: what is blocked afterwards? */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static jmp_buf back;
static volatile long handled, wrong_inside;
static volatile double sum;

static unsigned long blocked(void)
{
    unsigned long mask = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask);
    return mask;
}

static void handle(int number)
{
    (void)number;
    handled++;
    wrong_inside += blocked() != 0;
    longjmp(back, 1);
}

/* How often a mask was wrong or the signal did not come; -1 when none was sent. */
long masks_wrong(double seconds)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER};
    sigaction(SIGBUS, &action, NULL);
    volatile long sent = 0, wrong_after = 0;
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    volatile double end = (double)t.tv_sec + (double)t.tv_nsec * 1e-9 + seconds;
    do {
        for (int i = 0; i < 2000; i++) {
            sum += i;
        }
        sent++;
        if (_setjmp(back) == 0) {
            syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), SIGBUS);
        }
        wrong_after += blocked() != 0;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while ((double)t.tv_sec + (double)t.tv_nsec * 1e-9 < end);
    return sent == 0 ? -1 : wrong_inside + wrong_after + (sent - handled);
}
