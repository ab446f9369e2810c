/*
 * Waste that only moved: an expression wrapped over several rows or split into several lines, its function inlined, a part of
 * it extracted. The text does not tell; what is gone and what is new do: of one kind and category, and together as many
 * objects and bytes. A waste that was mended while another of just these counts came in looks the same, and passes as moved:
 * the item says where from. Runs of another length have other counts: there what stands between the same lines as before is judged as
 * an edited line would be: by what is made again for each time.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/judge.h"

#define PARTS_MAX 4u /* one line becomes so many */
#define NEW_MAX 24u  /* more are no refactoring, and would take long to combine */
#define ALIKE 0.002  /* of the sums: of places that were looked at in part they are estimates */
#define MOVED_LEAST 0.9
#define BETWEEN_MAX 16 /* lines that were written anew: more are no longer one statement */

struct parts {
    const struct judged_item *gone;
    size_t candidates[NEW_MAX], count; /* indices of items */
    size_t chosen[PARTS_MAX], used;
};

static struct repeated counts_of(const struct judged_item *item)
{
    return line_repeated(item->line, item->kind, MOVED_LEAST);
}

/* Lines that were edited, or of which the baseline counted no objects: one that stood there all the time did not move. */
static bool may_have_come(const struct match *match, const struct profile_finding *finding)
{
    return match->base_lines[finding->line] == SIZE_MAX || !match_is_unedited(match, finding_line(match->now, finding));
}

static bool is_candidate(const struct judged_item *item, const struct judged_item *gone, const struct match *match)
{
    return item->how == JUDGED_NEW && item->finding != NULL && may_have_come(match, item->finding) &&
           strcmp(item->kind, gone->kind) == 0;
}

static void find_candidates(struct parts *parts, const struct judgement *judgement, const struct match *match)
{
    parts->count = parts->used = 0;
    for (size_t i = 0; i < judgement->item_count && parts->count < NEW_MAX; i++) {
        const struct judged_item *item = &judgement->items[i];
        if (is_candidate(item, parts->gone, match) &&
            strcmp(item->finding->category, parts->gone->finding->category) == 0)
            parts->candidates[parts->count++] = i;
    }
}

/* Chooses `wanted` more candidates from `first` on that leave nothing of these objects and bytes; the first such choice. */
static bool choose(struct parts *parts, const struct judgement *judgement, size_t first, size_t wanted,
                   struct repeated left, struct repeated whole)
{
    if (wanted == 0)
        return fabs(left.objects) <= ALIKE * whole.objects && fabs(left.bytes) <= ALIKE * whole.bytes;
    for (size_t i = first; i < parts->count; i++) {
        struct repeated part = counts_of(&judgement->items[parts->candidates[i]]), rest = left;
        rest.objects -= part.objects;
        rest.bytes -= part.bytes;
        if (rest.bytes < -ALIKE * whole.bytes || rest.objects < -ALIKE * whole.objects)
            continue;
        parts->chosen[parts->used++] = parts->candidates[i];
        if (choose(parts, judgement, i + 1, wanted - 1, rest, whole))
            return true;
        parts->used--;
    }
    return false;
}

/* Does a line that was not found again stand where the baseline had the other: below the same line, and above the same? */
static bool is_between(const struct match *match, const struct profile_line *now, const struct profile_line *gone)
{
    struct match_place above = {0}, below = {0};
    for (int32_t number = now->number; number > 0 && above.line <= 0; number--)
        above = match_place(match, now->file, number);
    for (int32_t number = now->number; (size_t)number <= match->now->files[now->file].line_count && below.line <= 0;
         number++)
        below = match_place(match, now->file, number);
    return above.line > 0 && below.line > 0 && above.file == gone->file && below.file == gone->file &&
           above.line < gone->number && gone->number < below.line && below.line - above.line <= BETWEEN_MAX;
}

/* A statement that was wrapped or split, in a run of another length: all that is new there. */
static bool choose_between(struct parts *parts, const struct judgement *judgement, const struct match *match,
                           double increase_percent)
{
    struct repeated whole = counts_of(parts->gone);
    double objects = 0, bytes = 0;
    parts->used = 0;
    for (size_t i = 0; i < judgement->item_count; i++) {
        const struct judged_item *item = &judgement->items[i];
        if (!is_candidate(item, parts->gone, match) || !is_between(match, item->line, parts->gone->line))
            continue;
        if (parts->used == PARTS_MAX)
            return false;
        parts->chosen[parts->used++] = i;
        struct repeated part = counts_of(item);
        objects += part.objects;
        bytes += part.bytes;
    }
    return parts->used > 0 && judge_other_length(match) &&
           bytes / objects <= (1 + increase_percent / 100) * whole.bytes / whole.objects;
}

static void tell_moved(struct judgement *judgement, const struct parts *parts, bool counted)
{
    const struct judged_item *gone = parts->gone;
    for (size_t i = 0; i < parts->used; i++) {
        struct judged_item *item = &judgement->items[parts->chosen[i]];
        char *what =
            memory_print("Moved: %s made %s again at %s:%d in %s, and no longer does.",
                         parts->used > 1 ? "together with the others moved from there, the baseline" : "the baseline",
                         counted ? "as many objects and bytes" : "as much for each time, in a run of another length,",
                         item_path(gone), gone->line->number, gone->line->function);
        item->how = JUDGED_MOVED;
        item->what = intern_string(what);
        free(what);
        judgement->counts[JUDGED_NEW]--;
        judgement->counts[JUDGED_MOVED]++;
    }
}

/* Takes the item of what is gone out: it is told by where it went. */
static void drop_item(struct judgement *judgement, size_t index)
{
    judgement->counts[judgement->items[index].how]--;
    memmove(&judgement->items[index], &judgement->items[index + 1],
            (judgement->item_count - index - 1) * sizeof(*judgement->items));
    judgement->item_count--;
}

void judge_moved(struct judgement *judgement, const struct match *match, double increase_percent)
{
    for (size_t i = judgement->item_count; i-- > 0;) {
        struct parts parts = {.gone = &judgement->items[i]};
        if (parts.gone->how != JUDGED_GONE)
            continue;
        struct repeated whole = counts_of(parts.gone);
        find_candidates(&parts, judgement, match);
        bool found = false;
        for (size_t wanted = 1; wanted <= PARTS_MAX && !found; wanted++) {
            parts.used = 0;
            found = choose(&parts, judgement, 0, wanted, whole, whole);
        }
        const bool counted = found;
        if (!found && !choose_between(&parts, judgement, match, increase_percent))
            continue;
        tell_moved(judgement, &parts, counted);
        drop_item(judgement, i);
    }
}
