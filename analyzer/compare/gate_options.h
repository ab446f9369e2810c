/* What the verb gate is told on the command line. */
#ifndef PIEPROF_ANALYZER_GATE_OPTIONS_H
#define PIEPROF_ANALYZER_GATE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pieprof/db.h"

#define GATE_ALLOWED_MAX 1024
#define GATE_RUNS_MAX 64 /* on each side */
#define GATE_INCREASE_PERCENT 25.0

/* name, id, what it is */
#define GATE_METRICS(X)                                                                                                \
    X(findings, FINDINGS, METRIC_COUNT)                                                                                \
    X(replicas, REPLICAS, METRIC_BYTES)                                                                                \
    X(replica_objects, REPLICA_OBJECTS, METRIC_COUNT)                                                                  \
    X(transfers, TRANSFERS, METRIC_BYTES)                                                                              \
    X(dead_stores, DEAD_STORES, METRIC_SHARE)                                                                          \
    X(redundant_stores, REDUNDANT_STORES, METRIC_SHARE)

enum metric_unit { METRIC_COUNT, METRIC_BYTES, METRIC_SHARE };

enum gate_metric {
#define X(name, id, unit) GATE_##id,
    GATE_METRICS(X)
#undef X
        GATE_METRIC_COUNT
};

struct gate_options {
    const char *baselines[GATE_RUNS_MAX]; /* --baseline, and the operands behind it */
    size_t baseline_count;
    double time_percent;                   /* --time: below 0: times do not decide */
    double limits[GATE_METRIC_COUNT];      /* --max: objects, bytes or percent; below 0: none */
    size_t new_max;                        /* --max-new */
    double increase_percent;               /* --max-increase: of each finding that was there */
    double increases[GATE_METRIC_COUNT];   /* --max-increase METRIC=P%: of the run; below 0: none */
    const char *allowed[GATE_ALLOWED_MAX]; /* ids of findings */
    size_t allowed_count;
    const char *allow_file;
    bool partial, update_baseline, show_suppressed;
    unsigned required; /* bits of enum db_engine */
    bool limited;      /* any --max */
};

/* gate_options.c: what a --max or --max-increase says; false when it is not understood. */
bool gate_option_max(struct gate_options *options, const char *text);
bool gate_option_increase(struct gate_options *options, const char *text);
bool gate_option_time(struct gate_options *options, const char *text);
bool gate_option_baseline(struct gate_options *options, const char *text);
bool gate_option_require(struct gate_options *options, const char *text);
bool gate_option_allow(struct gate_options *options, const char *text);
void gate_options_default(struct gate_options *options);

/* Adds the ids in --allow-file, if any. False after one line on stderr. */
bool gate_options_read_allowed(struct gate_options *options);

const char *gate_metric_name(enum gate_metric metric);
enum metric_unit gate_metric_unit(enum gate_metric metric);

#endif
