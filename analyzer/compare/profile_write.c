/*
 * A baseline: JSON that is small, sorted, one line of it a source line, and the same for the same counts, so that it can be
 * committed. Its schema is tests/schema/baseline.schema.json.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/memory.h"
#include "compare/profile.h"
#include "model/engines.h"
#include "show/json_parts.h"

/* Compact, and with sorted keys; takes the value. */
static bool put_value(FILE *out, json_t *value)
{
    return json_print(out, value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
}

/* `"name": value` with what stands before it; takes the value. */
static bool put_member(FILE *out, const char *before, const char *name, json_t *value)
{
    bool said = fprintf(out, "%s\n\"%s\": ", before, name) > 0;
    return put_value(out, value) && said;
}

/* Rows of an array, one a line; takes the array. */
static bool put_rows(FILE *out, const char *name, json_t *rows)
{
    size_t count = json_array_size(rows);
    bool good = fprintf(out, ",\n\"%s\": [", name) > 0;
    for (size_t i = 0; i < count; i++) {
        good = fputs(i > 0 ? ",\n  " : "\n  ", out) != EOF && good;
        good = put_value(out, json_incref(json_array_get(rows, i))) && good;
    }
    json_decref(rows);
    return fputs(count > 0 ? "\n]" : "]", out) != EOF && good;
}

static json_t *json_engines_on(const struct profile *profile)
{
    json_t *object = json_object();
    for (enum db_engine engine = 0; engine < DB_ENGINE_COUNT; engine++)
        json_object_set_new(object, engine_name(engine), json_boolean(profile->engines[engine]));
    return object;
}

/* What a line makes in other phases than the one asked for is not, but that it does is: it was there. */
static bool line_is_written(const struct profile *profile, size_t line)
{
    for (size_t i = 0; i < profile->finding_count; i++)
        if (profile->findings[i].line == line && kind_is_exact(profile->findings[i].kind))
            return true;
    return profile->lines[line].group_count > 0 || (profile->phase < PHASE_COUNT && profile->lines[line].phases != 0);
}

static bool is_on_way(const struct profile_line *line, size_t file)
{
    for (size_t i = 0; i < line->way_count; i++)
        for (size_t k = 0; k < line->ways[i].row_count; k++)
            if (line->ways[i].rows[k].file == file)
                return true;
    return false;
}

/* Which lines are measured differs from run to run: files without counts, that call for none, are left out, but for the program's own. */
static bool file_is_written(const struct profile *profile, size_t file)
{
    for (size_t i = 0; i < profile->line_count; i++)
        if ((profile->lines[i].file == file ||
             (profile->lines[i].caller_number > 0 && profile->lines[i].caller_file == file) ||
             is_on_way(&profile->lines[i], file)) &&
            line_is_written(profile, i))
            return true;
    return profile_is_program_file(profile, profile->files[file].path);
}

static json_t *json_file(const struct profile_file *file)
{
    char *digits = memory_zeroed(file->line_count * 8 + 1, 1);
    for (size_t i = 0; i < file->line_count; i++)
        snprintf(digits + 8 * i, 9, "%08" PRIx32, file->digests[i]);
    json_t *object = json_object();
    json_object_set_new(object, "path", json_text(file->path));
    json_object_set_new(object, "digests", file->digests != NULL ? json_string(digits) : json_null());
    free(digits);
    return object;
}

static const struct profile *sorted; /* qsort has no argument for it */

static int path_order(const void *left, const void *right)
{
    return strcmp(sorted->files[*(const size_t *)left].path, sorted->files[*(const size_t *)right].path);
}

static json_t *json_files(const struct profile *profile)
{
    json_t *rows = json_array();
    size_t *order = memory_zeroed(profile->file_count, sizeof(*order)), count = 0;
    for (size_t i = 0; i < profile->file_count; i++)
        if (file_is_written(profile, i))
            order[count++] = i;
    sorted = profile;
    qsort(order, count, sizeof(*order), path_order);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(rows, json_file(&profile->files[order[i]]));
    free(order);
    return rows;
}

static json_t *json_group(const struct profile_group *group)
{
    json_t *object = json_object();
    json_put_count(object, "births", group->births);
    json_put_count(object, "results", group->results);
    json_put_count(object, "examined", group->examined);
    json_put_count(object, "replicas", group->replicas);
    json_put_count(object, "elsewhere", group->linked);
    json_put_count(object, "constant", group->constant);
    json_put_count(object, "bytes", group->bytes);
    json_put_count(object, "again_bytes", group->again_bytes);
    json_put_count(object, "constant_bytes", group->constant_bytes);
    return object;
}

static json_t *json_caller(const struct profile *profile, const struct profile_line *line)
{
    if (line->caller_number == 0)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "path", json_text(profile->files[line->caller_file].path));
    json_object_set_new(object, "line", json_integer(line->caller_number));
    return object;
}

static int row_order(const void *left, const void *right)
{
    const struct profile_row *a = left, *b = right;
    int order = strcmp(sorted->files[a->file].path, sorted->files[b->file].path);
    return order != 0 ? order : a->number - b->number;
}

/* The rows on all ways to a line, each once. */
static json_t *json_callers(const struct profile *profile, const struct profile_line *line)
{
    struct profile_row *rows = memory_zeroed(line->way_count * PROFILE_WAY_ROWS + 1, sizeof(*rows));
    json_t *array = json_array();
    size_t count = 0;
    for (size_t i = 0; i < line->way_count; i++)
        for (size_t k = 0; k < line->ways[i].row_count; k++)
            rows[count++] = line->ways[i].rows[k];
    sorted = profile;
    qsort(rows, count, sizeof(*rows), row_order);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && rows[i].file == rows[i - 1].file && rows[i].number == rows[i - 1].number)
            continue;
        json_t *object = json_object();
        json_object_set_new(object, "path", json_text(profile->files[rows[i].file].path));
        json_object_set_new(object, "line", json_integer(rows[i].number));
        json_array_append_new(array, object);
    }
    free(rows);
    return array;
}

static json_t *json_lines(const struct profile *profile)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < profile->line_count; i++) {
        const struct profile_line *line = &profile->lines[i];
        if (!line_is_written(profile, i))
            continue;
        json_t *object = json_object(), *groups = json_array();
        for (size_t j = 0; j < line->group_count; j++)
            json_array_append_new(groups, json_group(&line->groups[j]));
        json_object_set_new(object, "path", json_text(line_path(profile, line)));
        json_object_set_new(object, "line", json_integer(line->number));
        json_object_set_new(object, "function", json_text(line->function));
        json_object_set_new(object, "text", json_text(line->text));
        json_object_set_new(object, "objects", groups);
        json_object_set_new(object, "phases", json_phases_of(line->phases));
        if (profile->phase < PHASE_COUNT) {
            json_put_count(object, "made_results", line->made.results);
            json_put_count(object, "made_bytes", (uint64_t)fmin(line->made.bytes, 0x1p62));
        }
        if (line->typical_bytes > 0)
            json_put_count(object, "typical_bytes", line->typical_bytes);
        json_object_set_new(object, "caller", json_caller(profile, line));
        json_object_set_new(object, "callers", json_callers(profile, line));
        json_array_append_new(rows, object);
    }
    return rows;
}

static json_t *json_findings(const struct profile *profile)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < profile->finding_count; i++) {
        const struct profile_finding *finding = &profile->findings[i];
        const struct profile_line *line = finding_line(profile, finding);
        if (!kind_is_exact(finding->kind))
            continue;
        json_t *object = json_object();
        json_object_set_new(object, "id", json_text(finding->id));
        json_object_set_new(object, "kind", json_text(finding->kind));
        json_object_set_new(object, "category", json_text(finding->category));
        if (finding->phase < PHASE_COUNT)
            json_object_set_new(object, "phase", json_phase(finding->phase));
        json_object_set_new(object, "path", json_text(line_path(profile, line)));
        json_object_set_new(object, "line", json_integer(line->number));
        json_object_set_new(object, "ignored", json_text(finding->ignored));
        json_array_append_new(rows, object);
    }
    return rows;
}

bool profile_write(FILE *out, const struct profile *profile)
{
    bool good = put_member(out, "{", "engines", json_engines_on(profile));
    good = put_rows(out, "files", json_files(profile)) && good;
    good = put_rows(out, "findings", json_findings(profile)) && good;
    good = put_member(out, ",", "format", json_string(PROFILE_FORMAT)) && good;
    good = put_rows(out, "lines", json_lines(profile)) && good;
    if (profile->object_min_bytes > DB_OBJECT_MIN_BYTES)
        good = put_member(out, ",", "object_min_bytes", json_integer(profile->object_min_bytes)) && good;
    good = put_member(out, ",", "partial", json_text(profile->why_partial)) && good;
    if (profile->phase < PHASE_COUNT)
        good = put_member(out, ",", "phase", json_phase(profile->phase)) && good;
    json_t *program = json_object();
    json_object_set_new(program, "kind", json_text(profile->program_kind));
    json_object_set_new(program, "name", json_text(profile->program));
    good = put_member(out, ",", "program", program) && good;
    if (profile->sampled_beyond_bytes >= 0)
        good = put_member(out, ",", "sampled_beyond_bytes", json_integer(profile->sampled_beyond_bytes)) && good;
    const int version = profile->phase < PHASE_COUNT ? PROFILE_VERSION : PROFILE_VERSION_WHOLE;
    good = put_member(out, ",", "version", json_integer(version)) && good;
    return fputs("\n}\n", out) != EOF && good;
}
