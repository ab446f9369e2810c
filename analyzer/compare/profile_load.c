/* What a comparison reads: a run's file, or a baseline. Which of the two is told by the first bytes. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "compare/profile.h"
#include "findings/finding.h"
#include "model/source.h"
#include "open.h"
#include "symbols/binary.h"

#define BASELINE_MAX_BYTES (64u << 20)

/* The text of a file that begins as JSON does; NULL for anything else. Fresh memory. */
static char *read_json(const char *path, size_t *length_bytes)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > (off_t)BASELINE_MAX_BYTES)
        return NULL;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    char *text = memory_zeroed((size_t)status.st_size + 1, 1);
    *length_bytes = fread(text, 1, (size_t)status.st_size, file);
    fclose(file);
    if (text[strspn(text, " \t\r\n")] == '{')
        return text;
    free(text);
    return NULL;
}

static bool load_run(struct profile *profile, const char *path, const char *const *own, size_t own_count)
{
    struct run run;
    struct model model;
    if (!open_run(&run, path))
        return false;
    model_build(&model, &run, own, own_count);
    model.portable_paths = true;
    findings_say(&model);
    profile_take(profile, &model);
    source_free_all();
    binary_free_all();
    model_free(&model);
    run_free(&run);
    return true;
}

bool profile_load(struct profile *profile, const char *path, const char *const *own, size_t own_count)
{
    *profile = (struct profile){0};
    char *name = text_printable(path, strlen(path)), *error = NULL;
    profile->name = intern_string(name);
    free(name);
    size_t length_bytes = 0;
    char *text = read_json(path, &length_bytes);
    if (text == NULL)
        return load_run(profile, path, own, own_count);
    bool good = profile_read(profile, text, length_bytes, &error);
    if (!good) {
        char *why = text_printable(error, strlen(error));
        fprintf(stderr, "pieprof-report: %s: %s\n", profile->name, why);
        free(why);
    }
    free(error);
    free(text);
    return good;
}

void profile_count_line(struct profile *profile, const struct profile_line *line)
{
    for (size_t i = 0; i < line->group_count; i++) {
        profile_add(&profile->births, line->groups[i].births);
        profile_add(&profile->object_bytes, line->groups[i].bytes);
    }
}

void profile_free(struct profile *profile)
{
    for (size_t i = 0; i < profile->file_count; i++)
        free(profile->files[i].digests);
    for (size_t i = 0; i < profile->file_count; i++)
        free(profile->files[i].statements);
    for (size_t i = 0; i < profile->line_count; i++)
        free(profile->lines[i].groups);
    for (size_t i = 0; i < profile->line_count; i++)
        free(profile->lines[i].ways);
    map_free(&profile->line_map);
    free(profile->files);
    free(profile->lines);
    free(profile->findings);
    free(profile->ignores);
    *profile = (struct profile){0};
}
