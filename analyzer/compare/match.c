#include "compare/match.h"

#include <stdlib.h>

#include "base/memory.h"

#define SAME_LINES_MIN 5u /* imports and the like are in many files */

/* Where a digest stands in the files looked at; `count` of more than one says that it does not tell a line. */
struct found {
    size_t file, count;
    int32_t line;
};

/* Digests of one side. */
struct digest_index {
    struct map map;
    struct found *found;
    size_t count;
};

/* While matching: which lines of `base` are taken, and for renamed files which of its files. */
struct matching {
    struct match *match;
    bool **taken;
    size_t *partner; /* of each file of `now`; SIZE_MAX: none */
};

static struct map_key digest_key(uint32_t digest)
{
    return (struct map_key){digest, 1, 0};
}

static void index_file(struct digest_index *index, const struct profile *profile, size_t file, bool *const *skip,
                       struct match_place *const *places)
{
    const struct profile_file *of = &profile->files[file];
    for (size_t i = 0; i < of->line_count; i++) {
        if (of->digests[i] == 0 || (skip != NULL && skip[file][i]) || (places != NULL && places[file][i].line > 0))
            continue;
        struct found *found = map_get(&index->map, digest_key(of->digests[i]));
        if (found == NULL) {
            found = &index->found[index->count++];
            map_put(&index->map, digest_key(of->digests[i]), found);
        }
        *found = (struct found){.file = file, .count = found->count + 1, .line = (int32_t)i + 1};
    }
}

static void index_start(struct digest_index *index, const struct profile *profile)
{
    size_t lines = 0;
    for (size_t i = 0; i < profile->file_count; i++)
        lines += profile->files[i].line_count;
    *index = (struct digest_index){.found = memory_zeroed(lines, sizeof(struct found))};
}

static void index_free(struct digest_index *index)
{
    map_free(&index->map);
    free(index->found);
}

static void take(struct matching *matching, size_t now_file, size_t now_line, size_t base_file, size_t base_line)
{
    matching->match->places[now_file][now_line] =
        (struct match_place){.file = base_file, .line = (int32_t)base_line + 1};
    matching->taken[base_file][base_line] = true;
}

/* From a line that is matched, on over equal neighbours, up (-1) or down (1). */
static void extend(struct matching *matching, size_t now_file, int64_t now_line, size_t base_file, int64_t base_line,
                   int64_t step)
{
    const struct profile_file *now = &matching->match->now->files[now_file],
                              *base = &matching->match->base->files[base_file];
    for (;;) {
        now_line += step;
        base_line += step;
        if (now_line < 0 || base_line < 0 || now_line >= (int64_t)now->line_count ||
            base_line >= (int64_t)base->line_count || now->digests[now_line] != base->digests[base_line] ||
            matching->match->places[now_file][now_line].line > 0 || matching->taken[base_file][base_line])
            return;
        take(matching, now_file, (size_t)now_line, base_file, (size_t)base_line);
    }
}

/* Lines that stand once on each side, and their neighbours. */
static void match_unique(struct matching *matching, const struct digest_index *base, const struct digest_index *now)
{
    for (size_t i = 0; i < now->count; i++) {
        const struct found *here = &now->found[i];
        uint32_t digest = matching->match->now->files[here->file].digests[here->line - 1];
        const struct found *there = map_get(&base->map, digest_key(digest));
        if (here->count != 1 || there == NULL || there->count != 1 || matching->taken[there->file][there->line - 1] ||
            matching->match->places[here->file][here->line - 1].line > 0)
            continue;
        take(matching, here->file, (size_t)here->line - 1, there->file, (size_t)there->line - 1);
        extend(matching, here->file, here->line - 1, there->file, there->line - 1, -1);
        extend(matching, here->file, here->line - 1, there->file, there->line - 1, 1);
    }
}

static void match_pair(struct matching *matching, size_t now_file, size_t base_file)
{
    struct digest_index base, now;
    index_start(&base, matching->match->base);
    index_start(&now, matching->match->now);
    index_file(&base, matching->match->base, base_file, matching->taken, NULL);
    index_file(&now, matching->match->now, now_file, NULL, matching->match->places);
    match_unique(matching, &base, &now);
    /* Of lines that stand several times, those at both files' ends. */
    extend(matching, now_file, -1, base_file, -1, 1);
    extend(matching, now_file, (int64_t)matching->match->now->files[now_file].line_count, base_file,
           (int64_t)matching->match->base->files[base_file].line_count, -1);
    matching->partner[now_file] = base_file;
    index_free(&base);
    index_free(&now);
}

/* What is left of all files: functions that went from one into another. */
static void match_rest(struct matching *matching)
{
    struct digest_index base, now;
    index_start(&base, matching->match->base);
    index_start(&now, matching->match->now);
    for (size_t i = 0; i < matching->match->base->file_count; i++)
        index_file(&base, matching->match->base, i, matching->taken, NULL);
    for (size_t i = 0; i < matching->match->now->file_count; i++)
        index_file(&now, matching->match->now, i, NULL, matching->match->places);
    match_unique(matching, &base, &now);
    index_free(&base);
    index_free(&now);
}

double match_files_alike(const struct profile_file *base, const struct profile_file *now)
{
    struct map map = {0};
    size_t equal = 0, lines = 0;
    size_t *counts = memory_zeroed(base->line_count, sizeof(*counts)), used = 0;
    for (size_t i = 0; i < base->line_count; i++) {
        if (base->digests[i] == 0)
            continue;
        size_t *count = map_get(&map, digest_key(base->digests[i]));
        if (count == NULL) {
            count = &counts[used++];
            map_put(&map, digest_key(base->digests[i]), count);
        }
        ++*count;
        lines++;
    }
    for (size_t i = 0; i < now->line_count; i++) {
        size_t *count = now->digests[i] != 0 ? map_get(&map, digest_key(now->digests[i])) : NULL;
        equal += count != NULL && *count > 0;
        if (count != NULL && *count > 0)
            --*count;
    }
    map_free(&map);
    free(counts);
    return equal >= SAME_LINES_MIN ? (double)equal / (double)lines : 0;
}

static void match_same_names(struct matching *matching, bool *base_used)
{
    for (size_t i = 0; i < matching->match->now->file_count; i++)
        for (size_t j = 0; j < matching->match->base->file_count; j++)
            if (matching->match->now->files[i].path == matching->match->base->files[j].path) {
                match_pair(matching, i, j);
                base_used[j] = true;
            }
}

static void match_renamed(struct matching *matching, bool *base_used)
{
    const struct profile *now = matching->match->now, *base = matching->match->base;
    for (size_t i = 0; i < now->file_count; i++) {
        size_t best = SIZE_MAX;
        double most = MATCH_SAME_FILE;
        for (size_t j = 0; j < base->file_count && matching->partner[i] == SIZE_MAX; j++) {
            double alike = base_used[j] ? 0 : match_files_alike(&base->files[j], &now->files[i]);
            if (alike < most)
                continue;
            most = alike;
            best = j;
        }
        if (best == SIZE_MAX)
            continue;
        match_pair(matching, i, best);
        base_used[best] = true;
    }
}

/* Lines that were edited in place: as many on both sides, between neighbours that are matched. */
static void match_edited(struct matching *matching, size_t file)
{
    struct match_place *places = matching->match->places[file];
    size_t count = matching->match->now->files[file].line_count;
    for (size_t first = 1; first < count; first++) {
        if (places[first].line > 0 || places[first - 1].line == 0)
            continue;
        size_t end = first;
        while (end < count && places[end].line == 0)
            end++;
        const struct match_place above = places[first - 1];
        bool fits = end < count && places[end].file == above.file &&
                    places[end].line - above.line == (int32_t)(end - first) + 1;
        for (size_t i = first; fits && i < end; i++)
            fits = !matching->taken[above.file][(size_t)above.line + (i - first)];
        for (size_t i = first; fits && i < end; i++)
            take(matching, file, i, above.file, (size_t)above.line + (i - first));
    }
}

static struct map_key place_key(size_t file, int32_t number)
{
    return (struct map_key){file, (uint32_t)number, 0};
}

/* Lines of the baseline by their places: index + 1. Free with map_free. */
static struct map index_lines(const struct profile *base)
{
    struct map lines = {0};
    for (size_t i = 0; i < base->line_count; i++) {
        struct map_key key = place_key(base->lines[i].file, base->lines[i].number);
        if (map_get(&lines, key) == NULL)
            map_put(&lines, key, (void *)(i + 1));
    }
    return lines;
}

/* A line of a file whose text is not known: by path, function and text, the nearest where there are several. */
static size_t find_by_name(const struct match *match, const struct profile_line *line)
{
    size_t best = SIZE_MAX;
    int64_t nearest = INT64_MAX;
    for (size_t i = 0; i < match->base->line_count; i++) {
        const struct profile_line *there = &match->base->lines[i];
        int64_t distance = llabs((int64_t)there->number - line->number);
        if (there->function != line->function || there->text != line->text || distance >= nearest ||
            line_path(match->base, there) != line_path(match->now, line))
            continue;
        nearest = distance;
        best = i;
    }
    return best;
}

struct match_place match_place(const struct match *match, size_t file, int32_t line)
{
    bool in_text = line > 0 && (size_t)line <= match->now->files[file].line_count;
    return in_text ? match->places[file][line - 1] : (struct match_place){.file = SIZE_MAX};
}

bool match_row_is_unedited(const struct match *match, size_t file, int32_t row, struct match_place *place)
{
    *place = match_place(match, file, row);
    return place->line > 0 &&
           match->now->files[file].digests[row - 1] == match->base->files[place->file].digests[place->line - 1];
}

bool match_is_unedited(const struct match *match, const struct profile_line *line)
{
    struct match_place place;
    return match_row_is_unedited(match, line->file, line->number, &place);
}

bool *match_kept_lines(const struct match *match)
{
    const struct profile *base = match->base;
    bool **rows = memory_zeroed(base->file_count, sizeof(*rows)),
         *kept = memory_zeroed(base->line_count, sizeof(*kept));
    struct match_place place;
    for (size_t i = 0; i < base->file_count; i++)
        rows[i] = memory_zeroed(base->files[i].line_count + 1, sizeof(**rows));
    for (size_t file = 0; file < match->now->file_count; file++)
        for (int32_t row = 1; (size_t)row <= match->now->files[file].line_count; row++)
            if (match_row_is_unedited(match, file, row, &place))
                rows[place.file][place.line] = true;
    for (size_t i = 0; i < base->line_count; i++) {
        const struct profile_line *line = &base->lines[i];
        kept[i] = (size_t)line->number <= base->files[line->file].line_count && rows[line->file][line->number];
    }
    for (size_t i = 0; i < base->file_count; i++)
        free(rows[i]);
    free(rows);
    return kept;
}

bool match_has_file(const struct match *match, size_t file)
{
    for (size_t i = 0; i < match->now->files[file].line_count; i++)
        if (match->places[file][i].line > 0)
            return true;
    return false;
}

static void match_lines(struct match *match)
{
    struct map lines = index_lines(match->base);
    for (size_t i = 0; i < match->now->line_count; i++) {
        const struct profile_line *line = &match->now->lines[i];
        struct match_place place = match_place(match, line->file, line->number);
        match->known[i] = place.line > 0;
        match->base_lines[i] = match->known[i]
                                   ? (size_t)(uintptr_t)map_get(&lines, place_key(place.file, place.line)) - 1
                                   : find_by_name(match, line);
    }
    map_free(&lines);
}

void match_make(struct match *match, const struct profile *base, const struct profile *now)
{
    struct matching matching = {.match = match};
    *match = (struct match){.base = base, .now = now};
    match->places = memory_zeroed(now->file_count, sizeof(*match->places));
    match->base_lines = memory_zeroed(now->line_count, sizeof(*match->base_lines));
    match->known = memory_zeroed(now->line_count, sizeof(*match->known));
    matching.taken = memory_zeroed(base->file_count, sizeof(*matching.taken));
    matching.partner = memory_zeroed(now->file_count, sizeof(*matching.partner));
    bool *base_used = memory_zeroed(base->file_count, sizeof(*base_used));
    for (size_t i = 0; i < now->file_count; i++) {
        match->places[i] = memory_zeroed(now->files[i].line_count, sizeof(**match->places));
        matching.partner[i] = SIZE_MAX;
    }
    for (size_t i = 0; i < base->file_count; i++)
        matching.taken[i] = memory_zeroed(base->files[i].line_count, sizeof(**matching.taken));
    match_same_names(&matching, base_used);
    match_renamed(&matching, base_used);
    match_rest(&matching);
    for (size_t i = 0; i < now->file_count; i++)
        match_edited(&matching, i);
    match_lines(match);
    scales_make(&match->scales, match);
    for (size_t i = 0; i < base->file_count; i++)
        free(matching.taken[i]);
    free(matching.taken);
    free(matching.partner);
    free(base_used);
}

void match_free(struct match *match)
{
    for (size_t i = 0; match->places != NULL && i < match->now->file_count; i++)
        free(match->places[i]);
    free(match->places);
    free(match->base_lines);
    free(match->known);
    scales_free(&match->scales);
    *match = (struct match){0};
}
