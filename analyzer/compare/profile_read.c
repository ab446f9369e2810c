/*
 * Reading a baseline: somebody else's file, so every value is looked at before it is used. A value that is not as the schema
 * (tests/schema/baseline.schema.json) says ends the reading, with the place and what is allowed there.
 */
#include <stdlib.h>

#include <jansson.h>

#include "base/memory.h"
#include "base/text.h"
#include "compare/profile.h"
#include "model/engines.h"

#define ROWS_MAX 50000u

/* Where the reading stands: the first thing that is wrong is kept. */
struct reader {
    struct profile *profile;
    const char *where; /* "lines" */
    size_t row;        /* from 1; 0: not in an array */
    char **error;
};

static bool wrong(struct reader *reader, const char *name, const char *allowed)
{
    if (*reader->error != NULL)
        return false;
    if (reader->row > 0)
        *reader->error = memory_print("%s, entry %zu: \"%s\" must be %s", reader->where, reader->row, name, allowed);
    else
        *reader->error = memory_print("\"%s\" must be %s", name, allowed);
    return false;
}

static const char *take_string(struct reader *reader, const json_t *object, const char *name, bool may_be_null)
{
    const json_t *value = json_object_get(object, name);
    if (may_be_null && json_is_null(value))
        return NULL;
    if (!json_is_string(value)) {
        wrong(reader, name, may_be_null ? "a string or null" : "a string");
        return intern_string("");
    }
    return intern_bytes(json_string_value(value), json_string_length(value));
}

static uint64_t take_integer(struct reader *reader, const json_t *object, const char *name, int64_t least, int64_t most)
{
    const json_t *value = json_object_get(object, name);
    if (json_is_integer(value) && json_integer_value(value) >= least && json_integer_value(value) <= most)
        return (uint64_t)json_integer_value(value);
    char *allowed = memory_print("a whole number from %lld to %lld", (long long)least, (long long)most);
    wrong(reader, name, allowed);
    free(allowed);
    return 0;
}

static uint64_t take_count(struct reader *reader, const json_t *object, const char *name)
{
    return take_integer(reader, object, name, 0, INT64_MAX);
}

/* PHASE_COUNT where there is none. */
static enum phase read_phase(struct reader *reader, const json_t *value)
{
    enum phase phase = json_is_string(value) ? phase_find(json_string_value(value)) : PHASE_COUNT;
    if (phase == PHASE_COUNT && value != NULL)
        wrong(reader, "phase", "data_loading, forward, backward, optimizer or other");
    return phase;
}

static unsigned take_phases(struct reader *reader, const json_t *row)
{
    const json_t *names = json_object_get(row, "phases");
    unsigned phases = 0;
    if (names != NULL && (!json_is_array(names) || json_array_size(names) > PHASE_COUNT))
        wrong(reader, "phases", "an array of phases");
    for (size_t i = 0; i < json_array_size(names) && *reader->error == NULL; i++)
        phases |= 1u << read_phase(reader, json_array_get(names, i));
    return phases;
}

/* Calls `take` for each entry of an array of objects. */
static bool take_rows(struct reader *reader, const json_t *root, const char *name,
                      void (*take)(struct reader *reader, const json_t *row))
{
    const json_t *rows = json_object_get(root, name);
    if (!json_is_array(rows) || json_array_size(rows) > ROWS_MAX)
        return wrong(reader, name, "an array of at most 50000 entries");
    reader->where = name;
    for (size_t i = 0; i < json_array_size(rows) && *reader->error == NULL; i++) {
        const json_t *row = json_array_get(rows, i);
        reader->row = i + 1;
        if (!json_is_object(row))
            *reader->error = memory_print("%s, entry %zu: must be an object", name, i + 1);
        else
            take(reader, row);
    }
    reader->row = 0;
    return *reader->error == NULL;
}

static bool take_digests(struct profile_file *file, const char *digits)
{
    size_t length = strlen(digits);
    if (length % 8 != 0 || strspn(digits, "0123456789abcdef") != length)
        return false;
    file->line_count = length / 8;
    file->digests = memory_zeroed(file->line_count, sizeof(*file->digests));
    for (size_t i = 0; i < file->line_count; i++) {
        char digest[9] = {0};
        memcpy(digest, digits + 8 * i, 8);
        file->digests[i] = (uint32_t)strtoul(digest, NULL, 16);
    }
    return true;
}

static void take_file(struct reader *reader, const json_t *row)
{
    struct profile *profile = reader->profile;
    profile->files = memory_grow(profile->files, profile->file_count, &profile->file_capacity, sizeof(*profile->files));
    struct profile_file *file = &profile->files[profile->file_count++];
    *file = (struct profile_file){.path = take_string(reader, row, "path", false)};
    const char *digits = take_string(reader, row, "digests", true);
    if (digits != NULL && !take_digests(file, digits))
        wrong(reader, "digests", "eight lower-case hexadecimal digits for each line, or null");
    for (size_t i = 0; i + 1 < profile->file_count; i++)
        if (profile->files[i].path == file->path)
            wrong(reader, "path", "another one in each entry");
}

static size_t find_file(struct reader *reader, const json_t *row)
{
    const char *path = take_string(reader, row, "path", false);
    for (size_t i = 0; i < reader->profile->file_count; i++)
        if (reader->profile->files[i].path == path)
            return i;
    wrong(reader, "path", "one of \"files\"");
    return 0;
}

static void take_group(struct reader *reader, struct profile_line *line, const json_t *row)
{
    if (!json_is_object(row)) {
        wrong(reader, "objects", "an array of objects");
        return;
    }
    struct profile_group group = {.births = take_count(reader, row, "births"),
                                  .results = take_count(reader, row, "results"),
                                  .examined = take_count(reader, row, "examined"),
                                  .replicas = take_count(reader, row, "replicas"),
                                  .linked = take_count(reader, row, "elsewhere"),
                                  .constant = take_count(reader, row, "constant"),
                                  .bytes = take_count(reader, row, "bytes"),
                                  .again_bytes = take_count(reader, row, "again_bytes"),
                                  .constant_bytes = take_count(reader, row, "constant_bytes")};
    bool possible = group.results <= group.births && group.examined <= group.births &&
                    group.replicas <= group.examined && group.linked <= group.examined - group.replicas &&
                    group.constant <= group.examined && group.again_bytes <= group.bytes &&
                    group.constant_bytes <= group.bytes;
    if (!possible)
        wrong(reader, "objects",
              "counts that can be: results and examined no more than births, what was found no more than examined");
    group.replica_tenths = profile_tenths(group.replicas + group.linked, group.examined);
    group.constant_tenths = profile_tenths(group.constant, group.examined);
    line->groups = memory_grow(line->groups, line->group_count, &line->group_capacity, sizeof(*line->groups));
    line->groups[line->group_count++] = group;
}

static void take_callers(struct reader *reader, struct profile_line *line, const json_t *callers)
{
    if (callers != NULL && (!json_is_array(callers) || json_array_size(callers) > ROWS_MAX))
        wrong(reader, "callers", "an array");
    for (size_t i = 0; i < json_array_size(callers) && *reader->error == NULL; i++) {
        const json_t *row = json_array_get(callers, i);
        if (!json_is_object(row)) {
            wrong(reader, "callers", "an array of objects");
            return;
        }
        line->ways = memory_grow(line->ways, line->way_count, &line->way_capacity, sizeof(*line->ways));
        line->ways[line->way_count++] = (struct profile_way){
            .rows = {{find_file(reader, row), (int32_t)take_integer(reader, row, "line", 1, INT32_MAX)}},
            .row_count = 1};
    }
}

static void take_line(struct reader *reader, const json_t *row)
{
    struct profile *profile = reader->profile;
    profile->lines = memory_grow(profile->lines, profile->line_count, &profile->line_capacity, sizeof(*profile->lines));
    struct profile_line *line = &profile->lines[profile->line_count++];
    *line = (struct profile_line){.file = find_file(reader, row),
                                  .number = (int32_t)take_integer(reader, row, "line", 0, INT32_MAX),
                                  .function = take_string(reader, row, "function", false),
                                  .text = take_string(reader, row, "text", false),
                                  .phases = take_phases(reader, row),
                                  .column = -1,
                                  .end_column = -1,
                                  .own = true};
    const json_t *caller = json_object_get(row, "caller");
    if (caller != NULL && !json_is_null(caller)) {
        line->caller_file = find_file(reader, caller);
        line->caller_number = (int32_t)take_integer(reader, caller, "line", 1, INT32_MAX);
    }
    take_callers(reader, line, json_object_get(row, "callers"));
    if (json_object_get(row, "typical_bytes") != NULL)
        line->typical_bytes = take_count(reader, row, "typical_bytes");
    const json_t *groups = json_object_get(row, "objects");
    if (!json_is_array(groups) || json_array_size(groups) > ROWS_MAX) {
        wrong(reader, "objects", "an array");
        return;
    }
    for (size_t i = 0; i < json_array_size(groups) && *reader->error == NULL; i++)
        take_group(reader, line, json_array_get(groups, i));
    line->made = profile_made_by_groups(line);
    if (profile->phase < PHASE_COUNT)
        line->made = (struct profile_made){.results = take_count(reader, row, "made_results"),
                                           .bytes = (double)take_count(reader, row, "made_bytes")};
}

static bool is_made_of(const char *text, const char *letters)
{
    return *text != '\0' && strspn(text, letters) == strlen(text);
}

static void take_finding(struct reader *reader, const json_t *row)
{
    struct profile *profile = reader->profile;
    profile->findings =
        memory_grow(profile->findings, profile->finding_count, &profile->finding_capacity, sizeof(*profile->findings));
    struct profile_finding *finding = &profile->findings[profile->finding_count++];
    *finding = (struct profile_finding){.id = take_string(reader, row, "id", false),
                                        .kind = take_string(reader, row, "kind", false),
                                        .category = take_string(reader, row, "category", false),
                                        .phase = read_phase(reader, json_object_get(row, "phase")),
                                        .ignored = take_string(reader, row, "ignored", true)};
    if (strlen(finding->id) != 16 || !is_made_of(finding->id, "0123456789abcdef"))
        wrong(reader, "id", "16 lower-case hexadecimal digits");
    if (!is_made_of(finding->kind, "abcdefghijklmnopqrstuvwxyz_"))
        wrong(reader, "kind", "a kind of finding");
    size_t file = find_file(reader, row);
    int32_t number = (int32_t)take_integer(reader, row, "line", 0, INT32_MAX);
    while (finding->line < profile->line_count &&
           (profile->lines[finding->line].file != file || profile->lines[finding->line].number != number))
        finding->line++;
    if (finding->line == profile->line_count)
        wrong(reader, "line", "one of \"lines\"");
}

static void take_engines(struct reader *reader, const json_t *root)
{
    const json_t *engines = json_object_get(root, "engines");
    for (enum db_engine engine = 0; engine < DB_ENGINE_COUNT; engine++) {
        const json_t *on = json_object_get(engines, engine_name(engine));
        if (!json_is_boolean(on))
            wrong(reader, "engines", "an object that says true or false of time, access, replica and transfer");
        reader->profile->engines[engine] = json_is_true(on);
    }
}

static void take_program(struct reader *reader, const json_t *root)
{
    static const char *const kinds[] = {"script", "module", "text"};
    const json_t *program = json_object_get(root, "program");
    const char *kind = take_string(reader, program, "kind", false);
    reader->profile->program = take_string(reader, program, "name", false);
    for (size_t i = 0; i < 3; i++)
        if (strcmp(kind, kinds[i]) == 0)
            reader->profile->program_kind = kinds[i];
    if (reader->profile->program_kind == NULL)
        wrong(reader, "program", "an object with a name, and a kind of script, module or text");
}

/* Is it a baseline at all, and of a version that is known here? */
static bool is_readable(struct reader *reader, const json_t *root)
{
    const json_t *format = json_object_get(root, "format"), *version = json_object_get(root, "version");
    if (!json_is_string(format) || strcmp(json_string_value(format), PROFILE_FORMAT) != 0) {
        *reader->error = memory_print("not a baseline: `pieprof-report export --format baseline` makes one of a run");
        return false;
    }
    if (!json_is_integer(version) || json_integer_value(version) < 1)
        return wrong(reader, "version", "a whole number from 1");
    if (json_integer_value(version) > PROFILE_VERSION)
        *reader->error =
            memory_print("a baseline of version %lld, and this pieprof-report reads up to version %d: take a newer "
                         "pieprof-report, or make the baseline again with this one",
                         (long long)json_integer_value(version), PROFILE_VERSION);
    return *reader->error == NULL;
}

bool profile_read(struct profile *profile, const char *text, size_t length_bytes, char **error)
{
    json_error_t trouble;
    struct reader reader = {.profile = profile, .error = error};
    json_t *root = json_loadb(text, length_bytes, JSON_REJECT_DUPLICATES, &trouble);
    *error = NULL;
    if (root == NULL) {
        char *why = text_printable(trouble.text, strlen(trouble.text));
        *error = memory_print("line %d: no JSON: %s", trouble.line, why);
        free(why);
        return false;
    }
    if (is_readable(&reader, root)) {
        take_engines(&reader, root);
        take_program(&reader, root);
        profile->why_partial = take_string(&reader, root, "partial", true);
        profile->phase = read_phase(&reader, json_object_get(root, "phase"));
        profile->object_min_bytes = DB_OBJECT_MIN_BYTES;
        if (json_object_get(root, "object_min_bytes") != NULL)
            profile->object_min_bytes =
                (uint32_t)take_integer(&reader, root, "object_min_bytes", DB_OBJECT_MIN_BYTES, UINT32_MAX);
        const bool said = json_object_get(root, "sampled_beyond_bytes") != NULL;
        profile->sampled_beyond_bytes =
            said ? (int64_t)take_integer(&reader, root, "sampled_beyond_bytes", 0, UINT32_MAX) : -1;
        if (*error == NULL && take_rows(&reader, root, "files", take_file) &&
            take_rows(&reader, root, "lines", take_line) && take_rows(&reader, root, "findings", take_finding))
            for (size_t i = 0; i < profile->line_count; i++)
                profile_count_line(profile, &profile->lines[i]);
    }
    json_decref(root);
    return *error == NULL;
}
