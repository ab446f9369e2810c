/* Pages that hot and cold objects share, in the JSON report. */
#include "show/json_parts.h"

static json_t *json_mix_line(const struct line *line)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", json_text(line->file));
    json_object_set_new(object, "line", json_integer(line->number));
    json_object_set_new(object, "function", json_text(line->function));
    return object;
}

json_t *json_mixing(const struct model *model)
{
    json_t *object = json_object(), *array = json_array();
    for (size_t i = 0; i < model->mixing.count; i++) {
        const struct mix *mix = &model->mixing.mixes[i];
        json_t *pair = json_object();
        json_object_set_new(pair, "hot", json_mix_line(mix->hot));
        json_object_set_new(pair, "cold", json_mix_line(mix->cold));
        json_put_count(pair, "hot_accesses", mix->accesses);
        json_put_count(pair, "cold_accesses", mix->cold_accesses);
        json_object_set_new(pair, "hot_bytes", json_real(mix->hot_bytes));
        json_object_set_new(pair, "cold_bytes", json_real(mix->cold_bytes));
        json_object_set_new(pair, "times_hotter_at_least", json_real(mix->ratio_low));
        json_array_append_new(array, pair);
    }
    json_put_count(object, "accesses", model->accesses);
    json_object_set_new(object, "matters", json_boolean(mixing_matters(model)));
    json_object_set_new(object, "mixed", array);
    return object;
}
