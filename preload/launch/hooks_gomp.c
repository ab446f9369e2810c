/*
 * The calls of GNU OpenMP that begin a parallel region and return when all its threads are through (libgomp/libgomp_g.h). The
 * compiler turns `#pragma omp parallel` into one of them.
 */
#include "launch/caller_real.h"
#include "launch/launch.h"
#include "real.h"

#define PARAMETERS_plain void (*function)(void *), void *data, unsigned threads, unsigned flags
#define ARGUMENTS_plain function, data, threads, flags
#define PARAMETERS_sections void (*function)(void *), void *data, unsigned threads, unsigned count, unsigned flags
#define ARGUMENTS_sections function, data, threads, count, flags
#define PARAMETERS_loop                                                                                                \
    void (*function)(void *), void *data, unsigned threads, long start, long end, long step, long chunk, unsigned flags
#define ARGUMENTS_loop function, data, threads, start, end, step, chunk, flags
#define PARAMETERS_runtime_loop                                                                                        \
    void (*function)(void *), void *data, unsigned threads, long start, long end, long step, unsigned flags
#define ARGUMENTS_runtime_loop function, data, threads, start, end, step, flags

/* Name and shape of each. */
#define REGIONS(X)                                                                                                     \
    X(GOMP_parallel, plain)                                                                                            \
    X(GOMP_parallel_sections, sections)                                                                                \
    X(GOMP_parallel_loop_static, loop)                                                                                 \
    X(GOMP_parallel_loop_dynamic, loop)                                                                                \
    X(GOMP_parallel_loop_guided, loop)                                                                                 \
    X(GOMP_parallel_loop_nonmonotonic_dynamic, loop)                                                                   \
    X(GOMP_parallel_loop_nonmonotonic_guided, loop)                                                                    \
    X(GOMP_parallel_loop_runtime, runtime_loop)                                                                        \
    X(GOMP_parallel_loop_nonmonotonic_runtime, runtime_loop)                                                           \
    X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, runtime_loop)

#define X(region, shape)                                                                                               \
    INTERPOSED void region(PARAMETERS_##shape);                                                                        \
    INTERPOSED void region(PARAMETERS_##shape)                                                                         \
    {                                                                                                                  \
        static struct caller_real known = {.name = #region};                                                           \
        __typeof__(&region) real = (__typeof__(&region))caller_real_find(&known, __builtin_return_address(0));         \
        struct launch *launch = launch_begin(LAUNCH_GNU);                                                              \
        real(ARGUMENTS_##shape);                                                                                       \
        launch_end(launch);                                                                                            \
    }
REGIONS(X)
#undef X

INTERPOSED unsigned GOMP_parallel_reductions(PARAMETERS_plain);
INTERPOSED unsigned GOMP_parallel_reductions(PARAMETERS_plain)
{
    static struct caller_real known = {.name = "GOMP_parallel_reductions"};
    __typeof__(&GOMP_parallel_reductions) real =
        (__typeof__(&GOMP_parallel_reductions))caller_real_find(&known, __builtin_return_address(0));
    struct launch *launch = launch_begin(LAUNCH_GNU);
    unsigned threads_used = real(ARGUMENTS_plain);
    launch_end(launch);
    return threads_used;
}
