/* What numbers objects held, in the JSON report. */
#include "show/json_parts.h"

/* null of nothing. */
static json_t *json_fraction(uint64_t part, uint64_t whole)
{
    return whole > 0 ? json_real((double)part / (double)whole) : json_null();
}

static json_t *json_compression(const struct compression *compression)
{
    if (compression->samples == 0)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "tolerance", json_real(COMPRESSION_TOLERANCE));
    json_object_set_new(object, "ratio", json_real((double)compression->raw_bits / (double)compression->coded_bits));
    json_put_count(object, "samples", compression->samples);
    return object;
}

static json_t *json_content(const struct content *content, enum element element)
{
    bool is_float = element == ELEMENT_FLOAT32 || element == ELEMENT_FLOAT64;
    bool is_known = element != ELEMENT_FLAGS && element != ELEMENT_UNKNOWN;
    bool has_range = is_float && content->lowest <= content->highest;
    json_t *object = json_object();
    json_object_set_new(object, "type", json_string(element_names[element]));
    json_put_count(object, "objects", content->objects);
    json_put_count(object, "elements", content->elements);
    json_object_set_new(object, "zero_fraction",
                        json_fraction(content->zeros, element != ELEMENT_FLAGS ? content->elements : 0));
    json_object_set_new(object, "repeated_fraction",
                        json_fraction(content->repeated, is_known ? content->elements : 0));
    json_object_set_new(object, "lowest", has_range ? json_real(content->lowest) : json_null());
    json_object_set_new(object, "highest", has_range ? json_real(content->highest) : json_null());
    json_object_set_new(object, "nan", is_float ? json_count(content->nan) : json_null());
    json_object_set_new(object, "infinite", is_float ? json_count(content->infinite) : json_null());
    json_object_set_new(object, "compression", json_compression(&content->compression));
    return object;
}

json_t *json_contents(const struct contents *contents)
{
    if (contents == NULL)
        return json_null();
    json_t *array = json_array();
    for (enum element element = 0; element < ELEMENT_KINDS; element++)
        if (contents->of[element].objects > 0)
            json_array_append_new(array, json_content(&contents->of[element], element));
    return array;
}
