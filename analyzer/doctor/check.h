/* What doctor looks at: one row each. */
#ifndef PIEPROF_ANALYZER_CHECK_H
#define PIEPROF_ANALYZER_CHECK_H

enum check_state { CHECK_OK, CHECK_OFF, CHECK_NOTE };

/* What a look found. */
struct checked {
    enum check_state state;
    char *text;         /* fresh memory */
    const char *remedy; /* for CHECK_OFF; may be NULL */
};

#define CHECKS(X)                                                                                                      \
    X(kernel, "kernel")                                                                                                \
    X(paranoid, "perf_event_paranoid")                                                                                 \
    X(seccomp, "system call filter")                                                                                   \
    X(descriptors, "limit of open files")                                                                              \
    X(clock, "CPU-time trigger")                                                                                       \
    X(breakpoints, "debug registers")                                                                                  \
    X(pmu, "hardware counters")                                                                                        \
    X(zydis, "Zydis (decoder)")                                                                                        \
    X(papi, "PAPI (counters)")                                                                                         \
    X(zlib, "zlib (sources)")                                                                                          \
    X(python, "python3")                                                                                               \
    X(library, "libpieprof.so")                                                                                        \
    X(directory, "working directory")

#define X(name, what) struct checked check_##name(void);
CHECKS(X)
#undef X

#endif
