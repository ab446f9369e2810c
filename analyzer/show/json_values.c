/* Single values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "show/json_parts.h"

json_t *json_text(const char *text)
{
    if (text == NULL)
        return json_null();
    char *valid = text_valid(text, strlen(text));
    json_t *value = json_string(valid);
    free(valid);
    return value;
}

json_t *json_count(uint64_t count)
{
    return json_integer(count <= INT64_MAX ? (json_int_t)count : INT64_MAX);
}

void json_put_count(json_t *object, const char *name, uint64_t count)
{
    json_object_set_new(object, name, json_count(count));
}

/* Nanoseconds as seconds; microseconds are the last digit told. */
json_t *json_seconds(double seconds)
{
    return json_real(round(seconds * 1e6) / 1e6);
}

json_t *json_phase(enum phase phase)
{
    return json_string(phase_names[phase]);
}

json_t *json_phases_of(unsigned phases)
{
    json_t *names = json_array();
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
        if ((phases >> phase & 1) != 0)
            json_array_append_new(names, json_phase(phase));
    return names;
}

json_t *json_phase_asked(enum phase phase)
{
    return phase < PHASE_COUNT ? json_phase(phase) : json_null();
}
