/* Parallel kernels of known shares: each thread of a call does the same work, on its own part of the array. */
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#define STEPS 40

static double settle(double value)
{
    for (int i = 0; i < STEPS; i++)
        value = sqrt(value + i);
    return value;
}

double region(double *values, long count, int rounds)
{
    double total = 0;
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel for reduction(+ : total) schedule(SCHEDULE)
        for (long i = 0; i < count; i++)
            total += values[i] = settle(values[i] + 1);
    }
    return total;
}

/* Regions within a region: the inner one has threads of its own. */
double nested(double *values, long count, int rounds)
{
#pragma omp parallel for num_threads(2)
    for (int half = 0; half < 2; half++) {
        double *mine = values + half * (count / 2);
        for (int round = 0; round < rounds; round++) {
#pragma omp parallel for num_threads(2)
            for (long i = 0; i < count / 2; i++)
                mine[i] = settle(mine[i] + 1);
        }
    }
    return values[0];
}

/* The inner region is the last thing the outer one does: a compiler may jump there instead of calling. */
void nested_last(double *values, long count, int rounds)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
        {
            double *mine = values + (omp_get_ancestor_thread_num(1) * 2 + omp_get_thread_num()) * (count / 4);
            for (int round = 0; round < rounds; round++)
                for (long i = 0; i < count / 4; i++)
                    mine[i] = settle(mine[i] + 1);
        }
    }
}

/* More variables than fit into registers. */
long many_variables(long a, long b, long c, long d, long e, long f, long g, long h)
{
    long sum = 0;
#pragma omp parallel num_threads(2)
    {
        long mine = a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g + 10000000 * h;
#pragma omp atomic
        sum += mine;
        a = a, b = b, c = c, d = d, e = e, f = f, g = g, h = h;
    }
    return sum;
}

/* How many different threads a region of two has, by the OpenMP library that omp_get_thread_num() comes from. */
int members(void)
{
    int seen[2] = {0, 0};
#pragma omp parallel num_threads(2)
    seen[omp_get_thread_num() % 2] = 1;
    return seen[0] + seen[1];
}

struct part {
    double *values;
    long count;
    int rounds;
};

static void *work(void *argument)
{
    struct part *part = argument;
    for (int round = 0; round < part->rounds; round++)
        for (long i = 0; i < part->count; i++)
            part->values[i] = settle(part->values[i] + 1);
    return NULL;
}

/* Two threads of its own, started and joined within the call. */
int joined(double *values, long count, int rounds)
{
    pthread_t threads[2];
    struct part parts[2] = {{values, count / 2, rounds}, {values + count / 2, count / 2, rounds}};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &parts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static void *load(void *argument)
{
    const struct part *part = argument;
    double *sum = &((struct part *)argument)->values[part->count], total = 0;
    for (long i = 0; i < part->count; i++)
        total += part->values[i];
    *sum = total;
    return NULL;
}

/* Stores something new, which a thread that lives for that alone loads: no store is dead. The sum stands behind the values. */
void load_elsewhere(double *values, long count, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        pthread_t thread;
        struct part part = {values, count - 1, 1};
        for (long i = 0; i < count - 1; i++) {
            values[i] = (double)(i + round);
            __asm__ volatile("" ::: "memory");
        }
        pthread_create(&thread, NULL, load, &part);
        pthread_join(thread, NULL);
    }
}

/* One that goes on when the call is over. */
static struct part left;
static pthread_t leaving;

int leave(double *values, long count, int rounds)
{
    left = (struct part){values, count, rounds};
    return pthread_create(&leaving, NULL, work, &left);
}

int wait_for_it(void)
{
    return pthread_join(leaving, NULL);
}

/* Only the second thread of each region stores: what is there already, or something new each time. */
void store_same(double *values, long count, int rounds)
{
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1)
            for (long i = 0; i < count; i++) {
                values[i] = 3.0;
                __asm__ volatile("" ::: "memory");
            }
    }
}

void store_new(double *values, long count, int rounds)
{
    static double next;
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1)
            for (long i = 0; i < count; i++) {
                values[i] = next++;
                __asm__ volatile("" ::: "memory");
            }
    }
}

/* Each thread stores, and the other one loads it in the next region: no store is dead, but no thread sees both. */
double exchange(double *values, long count, int rounds)
{
    double total = 0;
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(2) reduction(+ : total)
        {
            long half = count / 2, mine = omp_get_thread_num() * half, other = half - mine;
            for (long i = 0; i < half; i++) {
                values[mine + i] = (double)(i + round);
                __asm__ volatile("" ::: "memory");
            }
#pragma omp barrier
            for (long i = 0; i < half; i++)
                total += values[other + i];
        }
    }
    return total;
}
