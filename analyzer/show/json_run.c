/* The "run" of the JSON report: command, processes, engines, health. */
#include "model/engines.h"
#include "model/processes.h"
#include "show/json_parts.h"

#include <string.h>

#include "base/intern.h"

static json_t *json_command(const struct run *run)
{
    json_t *words = json_array();
    if (run->process_count == 0)
        return words;
    struct run_blob blob = run_blob(&run->processes[0], run->processes[0].record->arguments_blob);
    for (size_t at = 0; at < blob.length_bytes;) {
        const char *word = intern_bytes(blob.bytes + at, blob.length_bytes - at);
        json_array_append_new(words, json_text(word));
        at += strlen(word) + 1;
    }
    return words;
}

static json_t *json_process(const struct run *run, const struct run_process *process)
{
    const struct db_process *record = process->record;
    json_t *object = json_object();
    json_object_set_new(object, "pid", json_integer(record->pid));
    json_object_set_new(object, "parent", json_integer(record->parent_pid));
    json_object_set_new(object, "rank", record->rank >= 0 ? json_integer(record->rank) : json_null());
    json_object_set_new(object, "python", json_text(process_python(record)));
    json_object_set_new(object, "state", json_text(process_state(run, record)));
    json_object_set_new(object, "signal",
                        record->ended == DB_END_SIGNAL ? json_integer(record->end_detail) : json_null());
    json_object_set_new(object, "status",
                        record->ended == DB_END_EXIT ? json_integer(record->end_detail) : json_null());
    json_object_set_new(object, "duration_s", json_seconds(process_duration_s(record)));
    json_object_set_new(object, "cpu_s", json_seconds((double)record->cpu_ns * 1e-9));
    json_object_set_new(object, "rate_hz", json_integer(record->rate_hz));
    json_object_set_new(object, "trigger", json_text(run_text(process, record->trigger_blob)));
    json_object_set_new(object, "samples", json_count(record->samples));
    return object;
}

static json_t *json_engines(const struct run *run)
{
    json_t *object = json_object();
    for (enum db_engine engine = 0; engine < DB_ENGINE_COUNT; engine++) {
        const char *why_off;
        json_t *status = json_object();
        json_object_set_new(status, "on", json_boolean(engine_ran(run, engine, &why_off)));
        json_object_set_new(status, "why_off", json_text(why_off));
        if (engine == DB_ENGINE_ACCESS)
            json_object_set_new(status, "fp_tolerance", json_real(engine_tolerance(run)));
        if (engine == DB_ENGINE_REPLICA)
            json_object_set_new(status, "object_min_bytes", json_integer(engine_object_min_bytes(run)));
        json_object_set_new(object, engine_name(engine), status);
    }
    return object;
}

static json_t *json_health(const struct model *model)
{
    const struct health *health = &model->health;
    json_t *object = json_object(), *dropped = json_object();
    uint64_t tried = health->native - health->call_ended;
    for (enum db_drop drop = 0; drop < DB_DROP_COUNT; drop++)
        json_object_set_new(dropped, drop_name(drop), json_count(health->dropped[drop]));
    json_object_set_new(object, "samples", json_count(health->samples));
    json_object_set_new(object, "native", json_count(health->native));
    json_object_set_new(object, "call_ended", json_count(health->call_ended));
    json_object_set_new(object, "lost", json_count(tried - health->resolved));
    json_object_set_new(object, "resolved",
                        tried > 0 ? json_real((double)health->resolved / (double)tried) : json_null());
    json_object_set_new(object, "armed", json_count(health->armed));
    json_object_set_new(object, "finished", json_count(health->finished));
    json_object_set_new(object, "traps", json_count(health->traps));
    json_object_set_new(object, "threads", json_count(health->threads));
    json_object_set_new(object, "objects", json_count(health->objects));
    json_object_set_new(object, "shim_cpu_s", json_seconds((double)health->shim_cpu_ns * 1e-9));
    json_object_set_new(object, "shim_memory_bytes", json_count(health->shim_memory_bytes));
    json_object_set_new(object, "damaged", json_count(model->run->damaged));
    json_object_set_new(object, "dropped_joins", json_count(model->run->header->dropped_joins));
    json_object_set_new(object, "dropped", dropped);
    return object;
}

json_t *json_run(const struct model *model)
{
    const struct run *run = model->run;
    json_t *object = json_object(), *processes = json_array();
    for (size_t i = 0; i < run->process_count; i++)
        json_array_append_new(processes, json_process(run, &run->processes[i]));
    json_object_set_new(object, "command", json_command(run));
    json_object_set_new(object, "host", json_text(run->header->host_name));
    json_object_set_new(object, "started_unix_s", json_seconds((double)run->header->created_unix_ns * 1e-9));
    json_object_set_new(object, "duration_s", json_seconds(model->duration_s));
    json_object_set_new(object, "processes", processes);
    json_object_set_new(object, "engines", json_engines(run));
    json_object_set_new(object, "health", json_health(model));
    return object;
}
