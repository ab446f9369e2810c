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
#include "options.h"
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

const char *profile_phase_words(enum phase phase)
{
    static const char *const words[PHASE_COUNT + 1] = {
#define X(id, name, text) "phase " name,
        PHASES(X)
#undef X
            "all phases"};
    return words[phase];
}

static bool load_run(struct profile *profile, const char *path, const struct options *options)
{
    struct run run;
    struct model model;
    if (!open_run(&run, path))
        return false;
    model_build(&model, &run, options->own, options->own_count);
    model.portable_paths = true;
    findings_say(&model);
    model_restrict(&model, options->phase);
    profile_take(profile, &model);
    source_free_all();
    binary_free_all();
    model_free(&model);
    run_free(&run);
    return true;
}

/* A baseline holds what it was made of, and nothing of other phases. */
static bool is_of_phase(const struct profile *profile, enum phase asked)
{
    if (asked == PHASE_COUNT || profile->phase == asked)
        return true;
    fprintf(stderr,
            "pieprof-report: %s is a baseline of %s, and --phase asks for %s; make one with `pieprof-report export "
            "--phase %s`\n",
            profile->name, profile_phase_words(profile->phase), profile_phase_words(asked), phase_names[asked]);
    return false;
}

bool profile_load(struct profile *profile, const char *path, const struct options *options)
{
    *profile = (struct profile){.phase = PHASE_COUNT};
    char *name = text_printable(path, strlen(path)), *error = NULL;
    profile->name = intern_string(name);
    free(name);
    size_t length_bytes = 0;
    char *text = read_json(path, &length_bytes);
    if (text == NULL)
        return load_run(profile, path, options);
    bool good = profile_read(profile, text, length_bytes, &error);
    if (!good) {
        char *why = text_printable(error, strlen(error));
        fprintf(stderr, "pieprof-report: %s: %s\n", profile->name, why);
        free(why);
    }
    free(error);
    free(text);
    return good && is_of_phase(profile, options->phase);
}

struct profile_made profile_made_by_groups(const struct profile_line *line)
{
    struct profile_made made = {0};
    for (size_t i = 0; i < line->group_count; i++) {
        const struct profile_group *group = &line->groups[i];
        profile_add(&made.results, group->results);
        if (group->births > 0)
            made.bytes += (double)group->bytes * ((double)group->results / (double)group->births);
    }
    return made;
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
