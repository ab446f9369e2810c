/* Phases in the JSON report. All five are always there, in one order. */
#include "show/json_parts.h"

static json_t *phase_object(const struct model *model, const struct phase_totals *totals)
{
    json_t *object = json_object();
    json_object_set_new(object, "time_s", json_seconds((double)times_total(&totals->times) * 1e-9));
    json_object_set_new(object, "python_s", json_seconds((double)totals->times.ns[TIME_PYTHON] * 1e-9));
    json_object_set_new(object, "native_s", json_seconds((double)totals->times.ns[TIME_NATIVE] * 1e-9));
    json_object_set_new(object, "boundary_s", json_seconds((double)totals->times.ns[TIME_BOUNDARY] * 1e-9));
    json_object_set_new(object, "elsewhere_s", json_seconds((double)totals->elsewhere_ns * 1e-9));
    json_object_set_new(object, "replicas", json_objects(model, &totals->objects));
    return object;
}

json_t *json_phases(const struct model *model)
{
    json_t *object = json_object();
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
        json_object_set_new(object, phase_names[phase], phase_object(model, &model->totals.phases[phase]));
    return object;
}

json_t *json_line_phases(const struct line *line)
{
    json_t *object = json_object();
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
        json_object_set_new(object, phase_names[phase], json_seconds((double)line->phase_ns[phase] * 1e-9));
    return object;
}
