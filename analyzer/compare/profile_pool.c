/* Several runs of one side: of the same code, they measure the same lines. */
#include "base/memory.h"
#include "compare/profile.h"

static bool texts_differ(const struct profile_file *a, const struct profile_file *b)
{
    if (a->path != b->path || a->digests == NULL || b->digests == NULL)
        return false;
    return a->line_count != b->line_count || memcmp(a->digests, b->digests, a->line_count * sizeof(*a->digests)) != 0;
}

const char *profile_differs(const struct profile *a, const struct profile *b)
{
    for (size_t i = 0; i < a->file_count; i++)
        for (size_t j = 0; j < b->file_count; j++)
            if (texts_differ(&a->files[i], &b->files[j]))
                return a->files[i].path;
    return NULL;
}

static struct map_key place_key(const char *path, int32_t number)
{
    return (struct map_key){(uintptr_t)path, (uint32_t)number, 0};
}

/* Lines are added at the end only. */
size_t profile_find_line(struct profile *profile, const char *path, int32_t number)
{
    for (; profile->line_indexed < profile->line_count; profile->line_indexed++) {
        const struct profile_line *line = &profile->lines[profile->line_indexed];
        struct map_key key = place_key(line_path(profile, line), line->number);
        if (map_get(&profile->line_map, key) == NULL)
            map_put(&profile->line_map, key, (void *)(profile->line_indexed + 1));
    }
    return (size_t)(uintptr_t)map_get(&profile->line_map, place_key(path, number)) - 1;
}

static size_t file_of(struct profile *profile, const struct profile_file *file)
{
    for (size_t i = 0; i < profile->file_count; i++)
        if (profile->files[i].path == file->path)
            return i;
    profile->files = memory_grow(profile->files, profile->file_count, &profile->file_capacity, sizeof(*profile->files));
    struct profile_file *added = &profile->files[profile->file_count];
    *added = *file;
    added->digests = NULL;
    added->statements = NULL;
    if (file->digests != NULL) {
        added->digests = memory_zeroed(file->line_count, sizeof(*file->digests));
        memcpy(added->digests, file->digests, file->line_count * sizeof(*file->digests));
    }
    return profile->file_count++;
}

/* The line at the same place, added without counts where there is none. */
static size_t line_of(struct profile *profile, const struct profile *other, const struct profile_line *line)
{
    size_t known = profile_find_line(profile, line_path(other, line), line->number);
    if (known != SIZE_MAX)
        return known;
    size_t file = file_of(profile, &other->files[line->file]);
    profile->lines = memory_grow(profile->lines, profile->line_count, &profile->line_capacity, sizeof(*profile->lines));
    profile->lines[profile->line_count] = (struct profile_line){.file = file,
                                                                .function = line->function,
                                                                .text = line->text,
                                                                .number = line->number,
                                                                .column = line->column,
                                                                .end_column = line->end_column,
                                                                .own = line->own};
    return profile->line_count++;
}

static void weights_add(struct weights *sum, const struct weights *more)
{
    sum->wasted += more->wasted;
    sum->all += more->all;
    sum->squares += more->squares;
    sum->wasted_squares += more->wasted_squares;
    sum->undecided += more->undecided;
    sum->variance += more->variance;
}

static void share_add(struct share *sum, const struct share *more)
{
    sum->pairs += more->pairs;
    sum->wasted += more->wasted;
    sum->unproved += more->unproved;
    sum->undecided += more->undecided;
    sum->recycled += more->recycled;
    sum->zero += more->zero;
    sum->across_pairs += more->across_pairs;
    sum->across_wasted += more->across_wasted;
    weights_add(&sum->weights, &more->weights);
    weights_add(&sum->across_weights, &more->across_weights);
    sum->paired_count += more->paired_count;
    sum->paired += more->paired;
    sum->needless += more->needless;
}

static bool has_finding(const struct profile *profile, size_t line, const char *kind)
{
    for (size_t i = 0; i < profile->finding_count; i++)
        if (profile->findings[i].line == line && strcmp(profile->findings[i].kind, kind) == 0)
            return true;
    return false;
}

static void pool_finding(struct profile *first, const struct profile *other, const struct profile_finding *finding)
{
    size_t line = line_of(first, other, finding_line(other, finding));
    if (!kind_is_measured(finding->kind) || has_finding(first, line, finding->kind))
        return;
    first->findings =
        memory_grow(first->findings, first->finding_count, &first->finding_capacity, sizeof(*first->findings));
    first->findings[first->finding_count] = *finding;
    first->findings[first->finding_count++].line = line;
}

void profile_pool(struct profile *first, const struct profile *other)
{
    for (size_t i = 0; i < other->line_count; i++) {
        const struct profile_line *more = &other->lines[i];
        struct profile_line *line = &first->lines[line_of(first, other, more)];
        line->ran |= more->ran;
        line->samples += more->samples;
        line->element_samples += more->element_samples;
        share_add(&line->stores, &more->stores);
        share_add(&line->dead, &more->dead);
    }
    for (size_t i = 0; i < other->finding_count; i++)
        pool_finding(first, other, &other->findings[i]);
    first->samples += other->samples;
    first->run_samples += other->run_samples;
    share_add(&first->stores, &other->stores);
    share_add(&first->dead, &other->dead);
}
