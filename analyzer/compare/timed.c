/*
 * Times, for those who ask: has the CPU time of a line, or of the run, risen by more than P percent? Runs differ as wholes, by
 * their neighbours on the machine, so that the runs are what is counted, not their samples: Welch's t test (unequal
 * variances) of the mean of one side against (1 + P/100) times the mean of the other, one-sided. A run's variance is at least what
 * sampling alone gives it, for a few runs may agree by chance. The level of 5 % is divided by the number of comparisons
 * (Bonferroni). Lines count that are in the text of both sides; what new lines take shows in the run.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/judge.h"
#include "show/page.h"

#define RUNS_MIN 3u
#define MISTAKES 0.05
#define LINE_PART 0.005 /* of the run's time: lines below it are not compared, and a rise below it is none */
#define STEPS 2000u     /* of an integral, even */
#define VISIBLE_MAX 2.0 /* times P: where a smaller rise of the run cannot be seen, nothing is said */

/* Times of one line, or of the run, on one side: seconds. */
struct sample_times {
    double mean, variance;
    size_t runs;
};

struct comparison {
    struct sample_times now, base;
    const struct profile_line *line; /* NULL: the run */
};

/* Chance that a variable of Student's distribution is above `t`: with x = tan(a) sqrt(freedom) its density is cos(a)^(freedom - 1). */
static double tail_of(double t, double freedom)
{
    double from = atan(t / sqrt(freedom)), width = (M_PI_2 - from) / STEPS, all = M_PI_2 / STEPS, part = 0, half = 0;
    for (unsigned i = 0; i <= STEPS; i++) {
        double weight = i == 0 || i == STEPS ? 1 : i % 2 == 1 ? 4 : 2; /* Simpson's rule */
        part += weight * pow(fmax(cos(from + i * width), 0), freedom - 1);
        half += weight * pow(fmax(cos(i * all), 0), freedom - 1);
    }
    return part * width / (half * all) / 2;
}

static double quantile_of(double chance, double freedom)
{
    double low = 0, high = 1e6;
    for (unsigned i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (tail_of(middle, freedom) > chance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* `sampling`: seconds that one sample stands for. */
static struct sample_times times_of(const double *seconds, size_t runs, double sampling)
{
    struct sample_times times = {.runs = runs};
    for (size_t i = 0; i < runs; i++)
        times.mean += seconds[i] / (double)runs;
    for (size_t i = 0; i < runs; i++)
        times.variance += (seconds[i] - times.mean) * (seconds[i] - times.mean) / (double)(runs - 1);
    times.variance = fmax(times.variance, fmax(times.mean, sampling) * sampling);
    return times;
}

static double sampling_of(const struct side *side)
{
    double seconds = 0;
    for (size_t i = 0; i < side->count; i++)
        seconds += side->profiles[i].time_s;
    uint64_t samples = side->profiles[0].samples; /* of all: they were added up there */
    return samples > 0 ? seconds / (double)samples : 0;
}

static struct sample_times times_of_line(const struct side *side, const char *path, int32_t number)
{
    double *seconds = memory_zeroed(side->count, sizeof(*seconds));
    for (size_t i = 0; i < side->count; i++) {
        size_t line = profile_find_line(&side->profiles[i], path, number);
        seconds[i] = line != SIZE_MAX ? side->profiles[i].lines[line].time_s : 0;
    }
    struct sample_times times = times_of(seconds, side->count, sampling_of(side));
    free(seconds);
    return times;
}

static struct sample_times times_of_run(const struct side *side)
{
    double *seconds = memory_zeroed(side->count, sizeof(*seconds));
    for (size_t i = 0; i < side->count; i++)
        seconds[i] = side->profiles[i].time_s;
    struct sample_times times = times_of(seconds, side->count, sampling_of(side));
    free(seconds);
    return times;
}

/* Variance of `now - factor * base`, and Welch's and Satterthwaite's degrees of freedom. */
static double spread_of(const struct comparison *comparison, double factor, double *freedom)
{
    double now = comparison->now.variance / (double)comparison->now.runs,
           base = factor * factor * comparison->base.variance / (double)comparison->base.runs;
    *freedom = (now + base) * (now + base) /
               (now * now / (double)(comparison->now.runs - 1) + base * base / (double)(comparison->base.runs - 1));
    return sqrt(now + base);
}

/* The least mean of `now` that would be told. */
static double least_told(const struct comparison *comparison, double factor, double chance)
{
    double freedom, spread = spread_of(comparison, factor, &freedom);
    return factor * comparison->base.mean + quantile_of(chance, freedom) * spread;
}

static void add_slower(struct judgement *judgement, const struct match *match, const struct comparison *comparison,
                       double percent)
{
    char *is = page_seconds(comparison->now.mean), *was = page_seconds(comparison->base.mean);
    struct judged_item item = {.how = JUDGED_TIME, .profile = match->now, .line = comparison->line, .kind = "time"};
    item.weight = comparison->now.mean - comparison->base.mean;
    judgement_add(
        judgement, item,
        memory_print("%s %s of CPU time in the mean of %zu runs, %s in %zu of the baseline (%+.0f %%); allowed is "
                     "%.6g %% more.",
                     comparison->line != NULL ? "This line takes" : "The run takes", is, comparison->now.runs, was,
                     comparison->base.runs, 100 * (comparison->now.mean / comparison->base.mean - 1), percent));
    free(is);
    free(was);
}

/* Those to be compared; the first is the run. Fresh memory. */
static struct comparison *comparisons_of(const struct match *match, const struct side *now, const struct side *base,
                                         size_t *count)
{
    size_t capacity = 0;
    struct comparison *all = memory_grow(NULL, 0, &capacity, sizeof(*all));
    all[0] = (struct comparison){.now = times_of_run(now), .base = times_of_run(base)};
    *count = 1;
    double least = LINE_PART * fmax(all[0].now.mean, all[0].base.mean);
    for (size_t i = 0; i < match->now->line_count; i++) {
        const struct profile_line *line = &match->now->lines[i], *before;
        if (match->base_lines[i] == SIZE_MAX)
            continue;
        before = &match->base->lines[match->base_lines[i]];
        struct comparison comparison = {.now = times_of_line(now, line_path(match->now, line), line->number),
                                        .base = times_of_line(base, line_path(match->base, before), before->number),
                                        .line = line};
        if (fmax(comparison.now.mean, comparison.base.mean) < least)
            continue;
        all = memory_grow(all, *count, &capacity, sizeof(*all));
        all[(*count)++] = comparison;
    }
    return all;
}

static char *refuse_side(const struct side *side, const char *what)
{
    if (side->count < RUNS_MIN)
        return memory_print("--time needs at least %u runs a side to tell a change from chance, and there %s %zu %s: "
                            "record more (gate new1.db new2.db ... --baseline base1.db base2.db ...)",
                            RUNS_MIN, side->count == 1 ? "is" : "are", side->count, what);
    for (size_t i = 0; i < side->count; i++) {
        const struct profile *profile = &side->profiles[i];
        for (size_t j = 0; j < i; j++)
            if (side->profiles[j].name == profile->name)
                return memory_print("--time: %s is named twice %s; each must be a run of its own", profile->name, what);
        if (!profile->from_run)
            return memory_print("--time: %s is an exported baseline, which holds no times; give the runs' own files",
                                profile->name);
        if (!profile->engines[DB_ENGINE_TIME] || profile->samples == 0)
            return memory_print("--time: %s has no times: the time engine was off, or took no sample; record it with "
                                "PIEPROF_ENGINES=all",
                                profile->name);
    }
    return NULL;
}

/* Runs that may hide what was asked for pass nothing; what they show all the same fails. */
static char *refuse_blind(double visible, double percent)
{
    if (visible <= VISIBLE_MAX * percent)
        return NULL;
    return memory_print(
        "--time %.6g%%: these runs differ so much among themselves that only a rise of the run by %.0f %% "
        "and more would be seen; record more runs, longer ones, or on a quieter machine",
        percent, visible);
}

static double births_of(const struct side *side)
{
    double births = 0;
    for (size_t i = 0; i < side->count; i++)
        births += (double)side->profiles[i].births / (double)side->count;
    return births;
}

/* Times are told as they are: what a run does half as often takes half as long, however slow it has become. */
static void note_length(struct judgement *judgement, const struct side *now, const struct side *base)
{
    double births = births_of(now), before = births_of(base);
    if (!lengths_differ(births, before))
        return;
    char *made = page_count((uint64_t)births), *made_before = page_count((uint64_t)before);
    judgement_note(judgement,
                   memory_print("--time: a run makes %s objects in the mean, %s in the baseline: where that is the "
                                "length of the runs, and not what changed, their times do not compare",
                                made, made_before));
    free(made);
    free(made_before);
}

char *judge_times(struct judgement *judgement, const struct match *match, const struct side *now,
                  const struct side *base, const struct gate_options *options)
{
    char *refusal = refuse_side(now, "on the new side");
    refusal = refusal != NULL ? refusal : refuse_side(base, "on the baseline's");
    if (refusal != NULL)
        return refusal;
    size_t count;
    struct comparison *all = comparisons_of(match, now, base, &count);
    double factor = 1 + options->time_percent / 100, chance = MISTAKES / (double)count, run_s = all[0].base.mean;
    double visible = 100 * (least_told(&all[0], factor, chance) / run_s - 1);
    judgement->times_compared = count;
    for (size_t i = 0; i < count; i++)
        if (all[i].now.mean > least_told(&all[i], factor, chance) &&
            all[i].now.mean - all[i].base.mean >= LINE_PART * run_s)
            add_slower(judgement, match, &all[i], options->time_percent);
    judgement_note(judgement,
                   memory_print("--time: %zu times compared; of the run, a rise by %.1f %% and more would be told",
                                count, visible));
    note_length(judgement, now, base);
    judgement_finish(judgement, options);
    free(all);
    return judgement->failed ? NULL : refuse_blind(visible, options->time_percent);
}
