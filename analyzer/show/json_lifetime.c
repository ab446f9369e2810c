/* Memory in the JSON report: the peak of the live bytes and what stood there; how long the objects of a line lived. */
#include <math.h>

#include "model/engines.h"
#include "show/json_parts.h"

static json_t *json_mean(const struct alive *alive)
{
    double seconds;
    return lifetime_mean_s(alive, &seconds) ? json_seconds(seconds) : json_null();
}

static void json_put_faults(json_t *object, const struct faults *faults)
{
    double most = 0x1p62; /* only a damaged file's */
    json_put_count(object, "fresh_bytes", (uint64_t)(faults->bytes < most ? faults->bytes : most));
    json_object_set_new(object, "fault_s", json_seconds(faults->seconds));
}

static json_t *json_idle(const struct line_idle *idle)
{
    if (idle->site == NULL)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "from", json_real((double)idle->widest.from / DB_HEAT_PARTS));
    json_object_set_new(object, "to", json_real((double)idle->widest.to / DB_HEAT_PARTS));
    json_object_set_new(object, "before", json_phase_asked(idle->before));
    json_object_set_new(object, "after", json_phase_asked(idle->after));
    json_put_count(object, "accesses", idle->widest.accesses);
    json_put_count(object, "seen", idle->widest.seen);
    json_object_set_new(object, "expected", json_real(idle->widest.expected));
    json_object_set_new(object, "at_most", json_real(idle->widest.at_most));
    json_object_set_new(object, "idle_s", json_seconds(idle->widest.seconds));
    json_put_count(object, "objects", idle->objects);
    json_object_set_new(object, "byte_seconds", json_seconds(idle->byte_seconds));
    return object;
}

json_t *json_line_memory(const struct model *model, const struct line *line)
{
    const struct alive *alive = &line->alive;
    if (model->memory.record == NULL)
        return json_null();
    json_t *object = json_object();
    json_put_count(object, "peak_bytes", alive->peak_bytes);
    json_put_count(object, "peak_objects", alive->peak_objects);
    json_put_count(object, "births", alive->births);
    json_put_count(object, "again", alive->again);
    json_put_count(object, "again_bytes", alive->again_bytes);
    json_put_faults(object, &alive->faults);
    json_put_count(object, "unfilled", alive->unfilled);
    json_put_count(object, "unfilled_bytes", alive->unfilled_bytes);
    json_object_set_new(object, "mean_lifetime_s", json_mean(alive));
    json_put_count(object, "accesses", line->idle.accesses);
    json_object_set_new(object, "idle", json_idle(&line->idle));
    return object;
}

static json_t *json_at_peak(const struct memory *memory)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < memory->line_count; i++) {
        const struct line *line = memory->lines[i];
        json_t *object = json_object();
        json_object_set_new(object, "file", json_text(line->file));
        json_object_set_new(object, "line", json_integer(line->number));
        json_object_set_new(object, "function", json_text(line->function));
        json_put_count(object, "bytes", line->alive.peak_bytes);
        json_put_count(object, "objects", line->alive.peak_objects);
        json_object_set_new(object, "mean_lifetime_s", json_mean(&line->alive));
        json_array_append_new(lines, object);
    }
    return lines;
}

static json_t *json_curve(const struct memory *memory)
{
    struct memory_curve curve;
    json_t *object = json_object(), *bins = json_array();
    lifetime_curve(memory, &curve);
    for (size_t i = 0; i < curve.count; i++)
        json_array_append_new(bins, json_count(curve.max_bytes[i]));
    json_object_set_new(object, "bin_s", json_seconds(curve.bin_s));
    json_object_set_new(object, "max_bytes", bins);
    return object;
}

json_t *json_memory(const struct model *model)
{
    const struct memory *memory = &model->memory;
    if (memory->record == NULL)
        return json_null();
    const struct db_live *record = memory->record;
    double fraction = record->peak_bytes > 0 ? (double)record->snapshot_bytes / (double)record->peak_bytes : 0;
    json_t *object = json_object();
    json_put_count(object, "pid", memory->process->run->record->pid);
    json_put_count(object, "processes", memory->processes);
    json_put_count(object, "peak_bytes", record->peak_bytes);
    json_put_count(object, "uncounted_objects", memory->uncounted);
    json_object_set_new(object, "peak_at_s", json_seconds((double)record->peak_at_ns * 1e-9));
    json_put_count(object, "snapshot_bytes", record->snapshot_bytes);
    json_object_set_new(object, "snapshot_fraction", json_real(fraction));
    json_put_count(object, "small_bytes", record->snapshot_small_bytes);
    json_put_count(object, "siteless_bytes", record->snapshot_siteless_bytes);
    json_put_count(object, "import_bytes", memory->import_bytes);
    json_put_count(object, "other_bytes", memory->other_bytes);
    json_object_set_new(object, "at_peak", json_at_peak(memory));
    json_object_set_new(object, "curve", json_curve(memory));
    json_put_count(object, "births", memory->all.births);
    json_put_count(object, "again", memory->all.again);
    json_put_count(object, "again_bytes", memory->all.again_bytes);
    json_put_faults(object, &memory->all.faults);
    json_put_count(object, "unfilled", memory->all.unfilled);
    json_put_count(object, "unfilled_bytes", memory->all.unfilled_bytes);
    json_object_set_new(object, "mean_lifetime_s", json_mean(&memory->all));
    return object;
}
