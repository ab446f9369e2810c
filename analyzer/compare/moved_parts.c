/*
 * An expression wrapped over several rows, or several joined to one, a line split into several, its function inlined: by the
 * counts of one line that is gone and of those that are new, or the reverse. Those that together make as much are chosen.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/hunk.h"
#include "compare/length.h"
#include "compare/moved.h"

#define PARTS_MAX 4u   /* one line becomes so many, or so many one */
#define NEW_MAX 24u    /* more are no refactoring, and would take long to combine */
#define LENGTHS_MAX 16 /* by which runs are tried to differ */
#define BETWEEN_MAX 16 /* lines that were written anew: more are no longer one statement */

struct parts {
    const struct judged_item *whole;   /* what is gone, or what is new; its parts are of the other */
    size_t candidates[NEW_MAX], count; /* indices of items */
    size_t chosen[PARTS_MAX], used;
    bool other_length; /* chosen by what is made again for each time, as the runs differ in length */
};

static struct repeated counts_of(const struct judged_item *item)
{
    return line_repeated(item->line, item->kind, DECIDES_SHARE);
}

/* As they are, or as a run of another length would have them. */
struct counts {
    double births, bytes;
};

static struct counts counts_times(const struct repeated *repeated, double factor)
{
    return (struct counts){factor * (double)repeated->births, factor * repeated->bytes};
}

/* Is all of the whole in its parts? The first of each place repeats none, so that only births grow as the run does. */
static bool nothing_left(const struct counts *left, const struct counts *whole, bool other_length)
{
    if (other_length)
        return fabs(left->births) <= MOVED_ALIKE * whole->births && fabs(left->bytes) <= LENGTH_DIFFERS * whole->bytes;
    return fabs(left->bytes) <= MOVED_ALIKE * whole->bytes;
}

/* Lines that were edited, or of which the baseline counted no objects: one that stood there all the time did not move. */
static bool may_have_come(const struct match *match, const struct profile_finding *finding)
{
    return match->base_lines[finding->line] == SIZE_MAX || !match_is_unedited(match, finding_line(match->now, finding));
}

/* Of rows that were edited together and make more again than those that stood there, something is new, whatever its counts. */
static bool is_of_more(const struct match *match, const bool *settled, const struct judged_item *item,
                       const struct judged_item *gone)
{
    struct hunk hunk;
    if (!hunk_at(match, item->line->file, item->line->number, &hunk) || !hunk_had(&hunk, gone->line))
        return false;
    struct hunk_repeated repeated = hunk_repeated(match, &hunk, item->kind, settled);
    return hunk_is_more(&repeated);
}

/* May what is new be what is gone, or a part of it, or the reverse? */
static bool may_be(const struct judged_item *item, const struct judged_item *gone, const struct match *match)
{
    return item->how == JUDGED_NEW && gone->how == JUDGED_GONE && item->finding != NULL &&
           may_have_come(match, item->finding) && strcmp(item->kind, gone->kind) == 0;
}

static void find_candidates(struct parts *parts, const struct judgement *judgement, const struct match *match)
{
    bool *settled = moved_settled_lines(judgement, match);
    parts->count = parts->used = 0;
    for (size_t i = 0; i < judgement->item_count && parts->count < NEW_MAX; i++) {
        const struct judged_item *item = &judgement->items[i];
        const struct judged_item *now = parts->whole->how == JUDGED_GONE ? item : parts->whole;
        const struct judged_item *gone = parts->whole->how == JUDGED_GONE ? parts->whole : item;
        if (may_be(now, gone, match) && !is_of_more(match, settled, now, gone))
            parts->candidates[parts->count++] = i;
    }
    free(settled);
}

/* Chooses `wanted` more candidates from `first` on that leave nothing of what is `left`; the first such choice. */
static bool choose(struct parts *parts, const struct judgement *judgement, size_t first, size_t wanted,
                   struct counts left, const struct counts *whole, bool other_length)
{
    if (wanted == 0)
        return nothing_left(&left, whole, other_length);
    const double alike = other_length ? LENGTH_DIFFERS : MOVED_ALIKE;
    for (size_t i = first; i < parts->count; i++) {
        struct repeated part = counts_of(&judgement->items[parts->candidates[i]]);
        struct counts rest = {left.births - (double)part.births, left.bytes - part.bytes};
        if (rest.bytes < -alike * whole->bytes)
            continue;
        parts->chosen[parts->used++] = parts->candidates[i];
        if (choose(parts, judgement, i + 1, wanted - 1, rest, whole, other_length))
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

/* Parts that make up the whole, as few as can be, in a run `factor` times as long as the whole's. */
static bool choose_parts(struct parts *parts, const struct judgement *judgement, double factor)
{
    struct repeated repeated = counts_of(parts->whole);
    struct counts whole = counts_times(&repeated, factor);
    bool found = false;
    for (size_t wanted = 1; wanted <= PARTS_MAX && !found; wanted++) {
        parts->used = 0;
        found = choose(parts, judgement, 0, wanted, whole, &whole, lengths_differ(factor, 1));
    }
    return found;
}

/* The same, in a run as long as the baseline's, or executed as many times more as a line that was not edited. */
static bool choose_parts_of_any_length(struct parts *parts, const struct judgement *judgement,
                                       const struct match *match)
{
    if (choose_parts(parts, judgement, 1))
        return true;
    const bool gone = parts->whole->how == JUDGED_GONE;
    double tried = 1;
    if (!length_is_other_throughout(match, (double)counts_of(parts->whole).births))
        return false;
    parts->other_length = true;
    for (size_t i = 0, tries = 0; i < match->now->line_count && tries < LENGTHS_MAX; i++) {
        const double factor = length_of_unedited(match, i);
        if (factor <= 0 || !lengths_differ(factor, 1) || fabs(factor - tried) <= MOVED_ALIKE * tried)
            continue;
        if (choose_parts(parts, judgement, gone ? factor : 1 / factor))
            return true;
        tried = factor;
        tries++;
    }
    return parts->other_length = false;
}

/* A statement that was wrapped or split, in a run of another length: all that is new there. */
static bool choose_between(struct parts *parts, const struct judgement *judgement, const struct match *match,
                           double increase_percent)
{
    struct repeated whole = counts_of(parts->whole);
    double objects = 0, bytes = 0;
    parts->used = 0;
    for (size_t i = 0; i < judgement->item_count; i++) {
        const struct judged_item *item = &judgement->items[i];
        if (!may_be(item, parts->whole, match) || !is_between(match, item->line, parts->whole->line))
            continue;
        if (parts->used == PARTS_MAX)
            return false;
        parts->chosen[parts->used++] = i;
        struct repeated part = counts_of(item);
        objects += part.objects;
        bytes += part.bytes;
    }
    const double length = length_factor(match, whole.births);
    return parts->used > 0 && match->scales.other_length &&
           bytes / objects <= (1 + increase_percent / 100) * whole.bytes / whole.objects &&
           (length <= 0 || objects <= (1 + LENGTH_DIFFERS) * length * whole.objects);
}

static void tell_moved(struct judgement *judgement, const struct parts *parts)
{
    const struct judged_item *gone = parts->whole;
    for (size_t i = 0; i < parts->used; i++) {
        struct judged_item *item = &judgement->items[parts->chosen[i]];
        char *what =
            memory_print("Moved: %s made %s again at %s:%d in %s, and no longer does.",
                         parts->used > 1 ? "together with the others moved from there, the baseline" : "the baseline",
                         moved_as_much(parts->other_length), item_path(gone), gone->line->number, gone->line->function);
        moved_tell(judgement, item, what);
    }
}

/* What is gone at one line, and new at one or several. */
void moved_split(struct judgement *judgement, const struct match *match, double increase_percent)
{
    for (size_t i = judgement->item_count; i-- > 0;) {
        struct parts parts = {.whole = &judgement->items[i]};
        if (parts.whole->how != JUDGED_GONE)
            continue;
        find_candidates(&parts, judgement, match);
        if (!choose_parts_of_any_length(&parts, judgement, match)) {
            parts.other_length = choose_between(&parts, judgement, match, increase_percent);
            if (!parts.other_length)
                continue;
        }
        tell_moved(judgement, &parts);
        moved_drop(judgement, i);
    }
}

static void tell_joined(struct judgement *judgement, const struct parts *parts, size_t index)
{
    struct judged_item *item = &judgement->items[index];
    char *places = memory_print("%s", "");
    for (size_t i = 0; i < parts->used; i++) {
        const struct judged_item *gone = &judgement->items[parts->chosen[i]];
        char *more = memory_print("%s%s%s:%d", places,
                                  i == 0                ? ""
                                  : i + 1 < parts->used ? ", "
                                                        : " and ",
                                  item_path(gone), gone->line->number);
        free(places);
        places = more;
    }
    char *what = memory_print("Moved: the baseline made %s again at %s, and no longer does.",
                              moved_as_much(parts->other_length), places);
    moved_tell(judgement, item, what);
    free(places);
}

/* What is new at one line, and gone at several. */
void moved_joined(struct judgement *judgement, const struct match *match)
{
    for (size_t i = judgement->item_count; i-- > 0;) {
        struct parts parts = {.whole = &judgement->items[i]};
        if (parts.whole->how != JUDGED_NEW)
            continue;
        find_candidates(&parts, judgement, match);
        if (!choose_parts_of_any_length(&parts, judgement, match))
            continue;
        tell_joined(judgement, &parts, i);
        for (size_t j = parts.used; j-- > 0;) {
            moved_drop(judgement, parts.chosen[j]);
            i -= parts.chosen[j] < i ? 1 : 0;
        }
    }
}
