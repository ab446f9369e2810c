/* A run as it is compared. */
#include "compare/profile.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/far.h"
#include "findings/sites.h"
#include "model/engines.h"
#include "model/path.h"
#include "model/share.h"
#include "model/source.h"
#include "show/text_parts.h"

/* Of objects below it, whether they count depends on how much more than was asked for the allocator gives: chance. */
#define SURE_BYTES 1024u

static uint32_t digest_line(const char *line, size_t length)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < length; i++)
        if (!isspace((unsigned char)line[i]))
            hash = (hash_mix(hash + 1) ^ (unsigned char)line[i]) * UINT64_C(0x100000001b3);
    uint32_t digest = (uint32_t)(hash_mix(hash) >> 32);
    return hash == 0 ? 0 : digest == 0 ? 1 : digest;
}

static void digest_text(struct profile_file *file, const struct source *source)
{
    const char *end = source->text + source->length_bytes;
    size_t capacity = 0;
    for (const char *line = source->text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop != NULL ? stop : end;
        file->digests = memory_grow(file->digests, file->line_count, &capacity, sizeof(*file->digests));
        file->digests[file->line_count++] = digest_line(line, (size_t)(stop - line));
        line = stop + 1;
    }
}

/* Rows belong together while a bracket is open, and behind a backslash. `code`: without strings and comments. */
static void take_statements(struct profile_file *file, const struct source *code)
{
    int32_t *first = file->statements = memory_zeroed(file->line_count, sizeof(*file->statements));
    int depth = 0;
    bool goes_on = false;
    const char *at = code->text, *end = at + code->length_bytes;
    for (size_t line = 0; line < file->line_count; line++) {
        first[line] = goes_on && line > 0 ? first[line - 1] : (int32_t)line + 1;
        const char *start = at;
        for (; at < end && *at != '\n'; at++)
            depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
        const char *last = at > start && at[-1] == '\r' ? at - 1 : at;
        depth = depth > 0 ? depth : 0;
        goes_on = depth > 0 || (last > start && last[-1] == '\\');
        at += at < end;
    }
}

/* The index of a file, added at its first line. */
static size_t take_file(struct profile *profile, const struct model *model, const char *file)
{
    const char *path = path_portable(model, file);
    for (size_t i = 0; i < profile->file_count; i++)
        if (profile->files[i].path == path)
            return i;
    profile->files = memory_grow(profile->files, profile->file_count, &profile->file_capacity, sizeof(*profile->files));
    struct profile_file *taken = &profile->files[profile->file_count];
    *taken = (struct profile_file){.path = path};
    if (profile->root == NULL && strcmp(profile->program_kind, "module") == 0 && profile_is_program_file(profile, path))
        profile->root = profile_root_of(file, path);
    const struct source *source = source_get(model, file);
    if (source->text != NULL) {
        digest_text(taken, source);
        take_statements(taken, source_code(model, file));
        profile_ignore(profile, profile->file_count, source->text, source->length_bytes);
    }
    return profile->file_count++;
}

/* Places nobody looked at stand apart from those that were looked at and repeat nothing. */
static struct profile_group *group_of(struct profile_line *line, bool examined, unsigned replica_tenths,
                                      unsigned constant_tenths)
{
    for (size_t i = 0; i < line->group_count; i++)
        if (line->groups[i].replica_tenths == replica_tenths && line->groups[i].constant_tenths == constant_tenths &&
            (line->groups[i].examined > 0) == examined)
            return &line->groups[i];
    line->groups = memory_grow(line->groups, line->group_count, &line->group_capacity, sizeof(*line->groups));
    struct profile_group *group = &line->groups[line->group_count++];
    *group = (struct profile_group){.replica_tenths = replica_tenths, .constant_tenths = constant_tenths};
    return group;
}

/* What was compared at a site, and what of it was equal to an earlier object, or all one value. */
struct compared {
    uint64_t examined, replicas, constant;
};

/*
 * Near or far, by the history that has more of them: what comes again in the next epoch, in another order, is hardly ever near.
 * Counted also where that makes no finding: for another run it is not new. One value throughout is for the near one.
 */
static struct compared compared_of(const struct site *site)
{
    const struct db_site *record = site->record;
    if (record->constant == 0 && far_shows_more(record))
        return (struct compared){record->far_examined, site_far_replicas(site), 0};
    return (struct compared){record->examined, record->replicas, record->constant};
}

/* Bytes of the site's results, of as large a part of them as of those examined. */
static uint64_t bytes_of(const struct site *site, uint64_t part, uint64_t examined)
{
    if (examined == 0)
        return 0;
    double objects = (double)part / (double)examined * (double)site_results(site);
    double bytes = objects * (double)site->record->size_bytes;
    return bytes < 0x1p62 ? (uint64_t)bytes : UINT64_C(1) << 62;
}

/* Is it of those that the profile counts? */
static bool is_taken(const struct model *model, const struct site *site)
{
    return site->record->size_bytes >= SURE_BYTES && node_counts(model, site->process, site_node(site));
}

static void take_site(struct profile_line *line, const struct site *site)
{
    const struct db_site *record = site->record;
    const struct compared compared = compared_of(site);
    uint64_t repeated = compared.replicas + site->linked, bytes;
    repeated = repeated < compared.examined ? repeated : compared.examined;
    struct profile_group *group = group_of(line, compared.examined > 0, profile_tenths(repeated, compared.examined),
                                           profile_tenths(compared.constant, compared.examined));
    if (__builtin_mul_overflow(record->births, record->size_bytes, &bytes))
        bytes = INT64_MAX;
    profile_add(&group->births, record->births);
    profile_add(&group->results, site_results(site));
    profile_add(&group->examined, compared.examined);
    profile_add(&group->replicas, compared.replicas);
    profile_add(&group->linked, repeated - compared.replicas);
    profile_add(&group->constant, compared.constant);
    profile_add(&group->bytes, bytes);
    profile_add(&group->again_bytes, bytes_of(site, repeated, compared.examined));
    profile_add(&group->constant_bytes, bytes_of(site, compared.constant, compared.examined));
}

static void take_made(struct profile_line *line, const struct site *site)
{
    line->phases |= 1u << node_phase(site->process, site_node(site));
    profile_add(&line->made.results, site_results(site));
    line->made.bytes += (double)site_results(site) * (double)site->record->size_bytes;
}

static int group_order(const void *left, const void *right)
{
    const struct profile_group *a = left, *b = right;
    if (a->replica_tenths != b->replica_tenths)
        return a->replica_tenths > b->replica_tenths ? -1 : 1;
    if (a->constant_tenths != b->constant_tenths)
        return a->constant_tenths > b->constant_tenths ? -1 : 1;
    return (a->examined == 0) - (b->examined == 0);
}

static void take_columns(struct profile_line *line, const struct line_span *span)
{
    bool one_row = span->column >= 0 && span->end_line == span->line && span->line == line->number;
    line->column = one_row ? span->column : -1;
    line->end_column = one_row ? span->end_column : -1;
}

static const char *take_text(const struct model *model, const struct line *line)
{
    size_t length = 0;
    const char *text = source_line(source_get(model, line->file), line->number, &length);
    for (; length > 0 && isspace((unsigned char)*text); length--)
        text++;
    for (; length > 0 && isspace((unsigned char)text[length - 1]); length--)
        ;
    char *valid = text_valid(text != NULL ? text : "", length < PROFILE_TEXT_BYTES ? length : PROFILE_TEXT_BYTES);
    const char *kept = intern_string(valid);
    free(valid);
    return kept;
}

/* Of a site's results, as large a part as of those examined: those that were made before, or are all one value; with the first of them. */
static uint64_t results_again(const struct site *site)
{
    const struct compared compared = compared_of(site);
    double repeated = (double)compared.replicas + (double)site->linked + (double)compared.constant;
    if (compared.examined == 0 || repeated <= 0)
        return 0;
    double results = (double)site_results(site);
    return (uint64_t)(fmin(repeated / (double)compared.examined * results + 1, results) + 0.5);
}

static void take_way(struct profile *profile, const struct model *model, struct profile_line *line,
                     const struct site *sites)
{
    line->ways = memory_grow(line->ways, line->way_count, &line->way_capacity, sizeof(*line->ways));
    struct profile_way *way = &line->ways[line->way_count++];
    *way = (struct profile_way){0};
    for (const struct site *site = sites; site != NULL; site = site->next) {
        if (!is_taken(model, site))
            continue;
        profile_add(&way->results, site_results(site));
        profile_add(&way->again, results_again(site));
    }
    const struct node *node = model_node(sites->process, sites->python);
    while (node != NULL && node->line != NULL && way->row_count < PROFILE_WAY_ROWS) {
        struct profile_row row = {take_file(profile, model, node->line->file), node->line->number};
        if (row.file != line->file || row.number != line->number)
            way->rows[way->row_count++] = row;
        const struct db_node *frame = run_record(sites->process->run, DB_KIND_NODE, node->user);
        node = frame != NULL ? model_node(sites->process, frame->parent) : NULL;
    }
}

/* Results of one size. */
struct sized {
    uint64_t size_bytes, results;
};

static int size_order(const void *left, const void *right)
{
    const struct sized *a = left, *b = right;
    return (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
}

/* The median: the one buffer that a library's first call keeps for itself does not move it, however large. */
static uint64_t typical_bytes(const struct line *line)
{
    struct sized *sizes = NULL;
    size_t count = 0, capacity = 0;
    double results = 0, smaller = 0;
    for (const struct place *place = line->places; place != NULL; place = place->next)
        for (const struct site *site = place->sites; site != NULL; site = site->next) {
            if (site->record->size_bytes < SURE_BYTES || site_results(site) == 0)
                continue;
            sizes = memory_grow(sizes, count, &capacity, sizeof(*sizes));
            sizes[count++] = (struct sized){site->record->size_bytes, site_results(site)};
            results += (double)site_results(site);
        }
    if (count == 0)
        return 0;
    qsort(sizes, count, sizeof(*sizes), size_order);
    size_t i = 0;
    while (i + 1 < count && (smaller += (double)sizes[i].results) < results / 2)
        i++;
    uint64_t typical = sizes[i].size_bytes;
    free(sizes);
    return typical;
}

static void take_places(struct profile *profile, const struct model *model, struct profile_line *taken,
                        const struct line *line)
{
    for (const struct place *place = line->places; place != NULL; place = place->next) {
        if (place->sites != NULL)
            take_way(profile, model, taken, place->sites);
        for (const struct site *site = place->sites; site != NULL; site = site->next) {
            if (site->record->size_bytes >= SURE_BYTES)
                take_made(taken, site);
            if (is_taken(model, site))
                take_site(taken, site);
        }
    }
    if (model->phase == PHASE_COUNT)
        taken->made = profile_made_by_groups(taken); /* as of a baseline, which holds no sites */
    if (taken->group_count > 0)
        qsort(taken->groups, taken->group_count, sizeof(*taken->groups), group_order);
}

static void take_line(struct profile *profile, struct model *model, const struct line *line)
{
    size_t file = take_file(profile, model, line->file);
    size_t caller_file = line->caller != NULL ? take_file(profile, model, line->caller->file) : 0;
    profile->lines = memory_grow(profile->lines, profile->line_count, &profile->line_capacity, sizeof(*profile->lines));
    struct profile_line *taken = &profile->lines[profile->line_count++];
    *taken = (struct profile_line){.file = file,
                                   .function = line->function,
                                   .text = take_text(model, line),
                                   .number = line->number,
                                   .caller_file = caller_file,
                                   .caller_number = line->caller != NULL ? line->caller->number : 0,
                                   .own = line->own,
                                   .typical_bytes = typical_bytes(line),
                                   .ran = line->phases,
                                   .time_s = (double)times_total(&line->times) * 1e-9,
                                   .samples = line->times.samples,
                                   .element_samples = line->element_samples,
                                   .stores = line->shares[SHARE_STORES],
                                   .dead = line->shares[SHARE_DEAD]};
    take_columns(taken, &line->span);
    take_places(profile, model, taken, line);
}

/* The index of a model's line; SIZE_MAX where it was not taken. */
static size_t index_of(struct profile *profile, const struct model *model, const struct line *wanted)
{
    return profile_find_line(profile, path_portable(model, wanted->file), wanted->number);
}

/* The index + 1 of the line that made what the finding's makes again; 0: none. */
static size_t first_of(struct profile *profile, const struct model *model, const struct finding *finding)
{
    const struct site *first = finding->first;
    const struct node *node = first != NULL ? model_node(first->process, first->record->node) : NULL;
    return node != NULL && node->line != NULL ? index_of(profile, model, node->line) + 1 : 0;
}

static void take_finding(struct profile *profile, struct model *model, const struct finding *finding)
{
    size_t line = index_of(profile, model, finding->line);
    if (line == SIZE_MAX)
        return;
    take_columns(&profile->lines[line], &finding->span);
    profile->findings =
        memory_grow(profile->findings, profile->finding_count, &profile->finding_capacity, sizeof(*profile->findings));
    char *way = text_way(model, finding_process(finding), finding_node(finding));
    profile->findings[profile->finding_count++] = (struct profile_finding){.id = intern_string(finding->id),
                                                                           .kind = finding->kind,
                                                                           .category = finding->category,
                                                                           .phase = finding_phase(finding),
                                                                           .line = line,
                                                                           .first = first_of(profile, model, finding),
                                                                           .claim = intern_string(finding->claim),
                                                                           .advice = intern_string(finding->advice),
                                                                           .way = intern_string(way),
                                                                           .waste_s = finding->waste_s};
    free(way);
}

static void take_run(struct profile *profile, const struct model *model)
{
    const struct totals *totals = &model->totals;
    profile->from_run = true;
    profile->phase = model->phase;
    profile->training = text_is_training(model);
    profile->why_partial = profile_why_partial(model->run);
    profile->question = profile_question(model->run);
    profile->time_s = (double)times_total(&totals->times) * 1e-9;
    profile->samples = totals->times.samples;
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
        profile->run_samples += totals->phases[phase].times.samples;
    profile->stores = totals->shares[SHARE_STORES];
    profile->dead = totals->shares[SHARE_DEAD];
    profile->without_place =
        model->health.dropped[DB_DROP_SITES_FULL] + model->health.dropped[DB_DROP_OBJECT_TABLE_FULL];
    for (enum db_engine engine = 0; engine < DB_ENGINE_COUNT; engine++) {
        const char *why_off;
        profile->engines[engine] = engine_ran(model->run, engine, &why_off);
        profile->why_off[engine] = why_off != NULL ? intern_string(why_off) : NULL;
    }
    profile->fp_tolerance = engine_tolerance(model->run);
    profile->object_min_bytes = engine_object_min_bytes(model->run);
    profile->sampled_beyond_bytes = engine_sampled_beyond_bytes(model->run);
    const char *script = profile_program(profile, model);
    if (script != NULL)
        take_file(profile, model, script);
}

static const struct profile *sorted; /* qsort has no argument for it */

static int line_order(const void *left, const void *right)
{
    const struct profile_line *a = left, *b = right;
    int order = strcmp(line_path(sorted, a), line_path(sorted, b));
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static int finding_order(const void *left, const void *right)
{
    const struct profile_finding *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    int order = strcmp(a->kind, b->kind);
    return order != 0 ? order : strcmp(a->id, b->id);
}

void profile_take(struct profile *profile, struct model *model)
{
    take_run(profile, model);
    for (size_t i = 0; i < model->line_count; i++)
        take_line(profile, model, model->lines[i]);
    sorted = profile;
    if (profile->line_count > 0)
        qsort(profile->lines, profile->line_count, sizeof(*profile->lines), line_order);
    for (size_t i = 0; i < model->finding_count; i++)
        take_finding(profile, model, model->findings[i]);
    if (profile->finding_count > 0)
        qsort(profile->findings, profile->finding_count, sizeof(*profile->findings), finding_order);
    for (size_t i = 0; i < profile->line_count; i++)
        profile_count_line(profile, &profile->lines[i]);
    profile_ignore_findings(profile);
}
