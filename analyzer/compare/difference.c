#include "compare/difference.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define AGAIN_SHARE 0.9
#define CHANGED_PART 0.01      /* a line's bytes that changed by less are not told... */
#define CHANGED_BYTES 1024     /* ... nor by less than this */
#define CHANGED_TIME_PART 0.01 /* of the run's time, and beyond what chance does to the number of samples */

static struct line_objects objects_of(const struct profile_line *line)
{
    struct line_objects objects = {0};
    if (line == NULL)
        return objects;
    for (size_t i = 0; i < line->group_count; i++) {
        profile_add(&objects.births, line->groups[i].births);
        objects.bytes += (double)line->groups[i].bytes;
    }
    objects.again_bytes = line_repeated(line, "replica", AGAIN_SHARE).bytes;
    return objects;
}

static bool differs(double before, double after)
{
    return fabs(after - before) >= CHANGED_BYTES && fabs(after - before) > CHANGED_PART * fmax(before, after);
}

static double change_of_time(const struct difference_line *line)
{
    return (line->now != NULL ? line->now->time_s : 0) - (line->base != NULL ? line->base->time_s : 0);
}

/* By three standard deviations of the difference of two counts of samples, and some for runs that were disturbed. */
static bool time_differs(const struct difference *difference, const struct difference_line *line)
{
    double before = line->base != NULL ? (double)line->base->samples : 0;
    double after = line->now != NULL ? (double)line->now->samples : 0;
    double least_s = CHANGED_TIME_PART * fmax(difference->base->time_s, difference->now->time_s);
    return difference->timed && fabs(after - before) > 3 * sqrt(after + before) + 0.1 * before &&
           fabs(change_of_time(line)) > least_s;
}

static void add_line(struct difference *difference, const struct profile_line *base, const struct profile_line *now,
                     bool unmatched)
{
    struct difference_line line = {.base = base,
                                   .now = now,
                                   .before = objects_of(base),
                                   .after = objects_of(now),
                                   .edited = base != NULL && now != NULL && strcmp(base->text, now->text) != 0,
                                   .unmatched = unmatched};
    bool objects =
        differs(line.before.bytes, line.after.bytes) || differs(line.before.again_bytes, line.after.again_bytes);
    if (!objects && !time_differs(difference, &line))
        return;
    difference->lines =
        memory_grow(difference->lines, difference->line_count, &difference->line_capacity, sizeof(*difference->lines));
    difference->lines[difference->line_count++] = line;
    difference->unmatched += unmatched;
}

/* By bytes made again, then by bytes made, then by seconds. */
static int line_order(const void *left, const void *right)
{
    const struct difference_line *a = left, *b = right;
    double changes[3][2] = {
        {fabs(a->after.again_bytes - a->before.again_bytes), fabs(b->after.again_bytes - b->before.again_bytes)},
        {fabs(a->after.bytes - a->before.bytes), fabs(b->after.bytes - b->before.bytes)},
        {fabs(change_of_time(a)), fabs(change_of_time(b))}};
    for (size_t i = 0; i < 3; i++)
        if (changes[i][0] < changes[i][1] || changes[i][0] > changes[i][1])
            return changes[i][0] > changes[i][1] ? -1 : 1;
    return difference_line(a)->number - difference_line(b)->number;
}

void difference_make(struct difference *difference, const struct profile *base, const struct profile *now,
                     const struct match *match)
{
    struct gate_options options;
    gate_options_default(&options);
    *difference = (struct difference){.base = base, .now = now, .timed = base->from_run && now->from_run};
    judge(&difference->judgement, now, base, match, &options);
    if (!judge_same_program(now, base))
        judgement_note(
            &difference->judgement,
            memory_print("these are two programs: %s %s and %s %s; lines that happen to be alike are compared",
                         base->program_kind, base->program, now->program_kind, now->program));
    char *settings = judge_settings(base, "the run before", now, "the run after");
    if (settings != NULL)
        judgement_note(&difference->judgement, settings);
    bool *met = memory_zeroed(base->line_count, sizeof(*met));
    for (size_t i = 0; i < now->line_count; i++) {
        size_t before = match->base_lines[i];
        bool there = before != SIZE_MAX;
        if (there)
            met[before] = true;
        add_line(difference, there ? &base->lines[before] : NULL, &now->lines[i], !there && !match->known[i]);
    }
    for (size_t i = 0; i < base->line_count; i++)
        if (!met[i])
            add_line(difference, &base->lines[i], NULL, false);
    free(met);
    if (difference->line_count > 0)
        qsort(difference->lines, difference->line_count, sizeof(*difference->lines), line_order);
}

void difference_free(struct difference *difference)
{
    judgement_free(&difference->judgement);
    free(difference->lines);
    *difference = (struct difference){0};
}
