/* Whether an engine ran, over all processes of a run. */
#ifndef PIEPROF_ANALYZER_ENGINES_H
#define PIEPROF_ANALYZER_ENGINES_H

#include "read/run.h"

/* `*why_off` is NULL when it ran in some process, else the first reason recorded. */
bool engine_ran(const struct run *run, enum db_engine engine, const char **why_off);

/* Within which floating-point values counted as equal, the widest of its processes; 0: every bit counts. */
double engine_tolerance(const struct run *run);

/* Of contents beyond so many bytes samples were compared, in any of its processes; 0: all were compared whole. */
uint32_t engine_sampled_beyond_bytes(const struct run *run);

/* Buffers of fewer bytes were no objects, in one of its processes at least. */
uint32_t engine_object_min_bytes(const struct run *run);

const char *engine_name(enum db_engine engine);

/* What a drop is called and what it means. */
const char *drop_name(enum db_drop drop);
const char *drop_meaning(enum db_drop drop);

#endif
