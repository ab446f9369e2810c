/* A handler on an alternate stack hardly larger than one signal's frame, below which every byte is looked at afterwards. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#define BELOW_BYTES 65536

static volatile double sum;
static volatile int handled, trap_was_blocked, room_for_calls;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void handle(int number)
{
    (void)number;
    if (room_for_calls) {
        sigset_t mask;
        pthread_sigmask(SIG_BLOCK, NULL, &mask);
        trap_was_blocked += sigismember(&mask, SIGTRAP);
    }
    handled++;
    for (double end = now() + 0.001; now() < end;) {
        sum += 1;
    }
}

/* Bytes changed below a stack of so many, -1 when the handler did not run or sigaction reports what it was not given. */
int bytes_overwritten(int stack_bytes, double seconds)
{
    char *memory =
        mmap(NULL, (size_t)(BELOW_BYTES + stack_bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 0x5a, BELOW_BYTES);
    room_for_calls = stack_bytes > 4096; /* the loader binds a function at its first call, on this stack */
    sigaltstack(&(stack_t){.ss_sp = memory + BELOW_BYTES, .ss_size = (size_t)stack_bytes}, NULL);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK | SA_RESTART}, old;
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 5000}, {0, 5000}}, NULL);
    for (double end = now() + seconds; now() < end;) {
        sum += 1;
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = SIG_DFL}, &old);
    if (handled < 10 || trap_was_blocked || !sigismember(&old.sa_mask, SIGUSR2) || sigismember(&old.sa_mask, SIGTRAP)) {
        return -1;
    }
    int changed = 0;
    for (int i = 0; i < BELOW_BYTES; i++) {
        changed += memory[i] != 0x5a;
    }
    return changed;
}
