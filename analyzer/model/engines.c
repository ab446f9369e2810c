#include "model/engines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool engine_ran(const struct run *run, enum db_engine engine, const char **why_off)
{
    *why_off = run->process_count > 0           ? "no reason was recorded"
               : run->header->dropped_joins > 0 ? "no process of the run found room in its file"
                                                : "no process of the run reached Python code";
    bool reason = false;
    for (size_t i = 0; i < run->process_count; i++) {
        const struct db_engine_status *status = &run->processes[i].record->engines[engine];
        if (status->state == DB_ENGINE_ON) {
            *why_off = NULL;
            return true;
        }
        if (!reason && status->why_off[0] != '\0') {
            *why_off = status->why_off;
            reason = true;
        }
    }
    return false;
}

double engine_tolerance(const struct run *run)
{
    double widest = 0;
    for (size_t i = 0; i < run->process_count; i++)
        widest = fmax(widest, (double)run->processes[i].record->engines[DB_ENGINE_ACCESS].tolerance);
    /* Stored as a float: what was asked for has fewer digits. */
    char text[32];
    snprintf(text, sizeof(text), "%.6g", widest);
    return strtod(text, NULL);
}

uint32_t engine_sampled_beyond_bytes(const struct run *run)
{
    uint32_t beyond = 0;
    for (size_t i = 0; i < run->process_count; i++)
        if (beyond == 0)
            beyond = run->processes[i].record->engines[DB_ENGINE_REPLICA].sampled_beyond_bytes;
    return beyond;
}

uint32_t engine_object_min_bytes(const struct run *run)
{
    uint32_t least = DB_OBJECT_MIN_BYTES;
    for (size_t i = 0; i < run->process_count; i++) {
        uint32_t bytes = run->processes[i].record->engines[DB_ENGINE_REPLICA].object_min_bytes;
        least = bytes > least ? bytes : least;
    }
    return least;
}

const char *engine_name(enum db_engine engine)
{
    static const char *const names[DB_ENGINE_COUNT] = {
#define X(name, text) text,
        DB_ENGINES(X)
#undef X
    };
    return names[engine];
}

static const char *const drops[DB_DROP_COUNT][2] = {
#define X(name, text, meaning) {text, meaning},
    DB_DROPS(X)
#undef X
};

const char *drop_name(enum db_drop drop)
{
    return drops[drop][0];
}

const char *drop_meaning(enum db_drop drop)
{
    return drops[drop][1];
}
