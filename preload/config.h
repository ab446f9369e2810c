/* What the environment asks for: the PIEPROF_ variables, read once in the constructor. */
#ifndef PIEPROF_PRELOAD_CONFIG_H
#define PIEPROF_PRELOAD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "pieprof/db.h"

#define CONFIG_PATH_BYTES 4096u

enum config_content { CONFIG_CONTENT_OFF, CONFIG_CONTENT_COUNTS, CONFIG_CONTENT_SAMPLES };

struct config {
    char out_path[CONFIG_PATH_BYTES]; /* PIEPROF_OUT, default out.db; absolute after config_read */
    char run_name[DB_RUN_NAME_BYTES]; /* PIEPROF_RUN or derived; empty when this process names the run */
    uint32_t rate_hz;                 /* PIEPROF_RATE, 1-10000, default 250 */
    double budget_percent;            /* PIEPROF_BUDGET, 0.1-100, default 2 */
    double fp_tolerance;              /* PIEPROF_FP_TOLERANCE, 0-1, relative; default 0: every bit counts */
    uint64_t max_size_bytes;          /* PIEPROF_MAX_SIZE, bytes or K/M/G (KiB, MiB, GiB too), default 256 MiB */
    uint32_t object_min_bytes;        /* PIEPROF_OBJECT_MIN, 1 KiB (default) to 64 KiB */
    bool engines[DB_ENGINE_COUNT];    /* PIEPROF_ENGINES */
    uint32_t event_count;             /* PIEPROF_EVENTS, comma list */
    char events[DB_EVENTS_MAX][DB_EVENT_NAME_BYTES];
    bool digest_full; /* PIEPROF_DIGEST=full: all of each object is digested, none is left out; default sampled */
    enum config_content content; /* PIEPROF_CONTENT: 0 (default), 1, or samples: bytes of buffers go into the file */
    int log_level;               /* PIEPROF_LOG: quiet, error (default), info, debug */
};

extern struct config config;

/*
 * Reads and checks the environment. On a bad value writes ONE line to stderr naming the variable, the value and what
 * is allowed, and returns false: the program then runs unprofiled. Not signal-safe; allocates nothing.
 */
bool config_read(void);

/* One line to stderr where a variable begins with PIEPROF_ and is none: misspelt, mostly. Not signal-safe; allocates nothing. */
void config_tell_unknown(void);

/*
 * What the variable's value is not, NULL when it is allowed (or wrong by no fault of its own: no working directory). For a
 * program that reads no environment yet: it leaves `config` as it was. Not signal-safe.
 */
const char *config_refusal(const char *name, const char *value);

#endif
