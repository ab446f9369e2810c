/* The verb gate: does a run waste more than a baseline, or than is allowed? Exit status 0, 1, or 2 where it cannot tell. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "compare/judge.h"
#include "show/output.h"
#include "show/verdict.h"
#include "verb.h"

static bool (*const shows[FORMAT_COUNT])(FILE *out, const struct verdict *verdict) = {
    [FORMAT_TEXT] = verdict_show_text,
    [FORMAT_JSON] = verdict_show_json,
    [FORMAT_MARKDOWN] = verdict_show_markdown,
    [FORMAT_GITHUB] = verdict_show_github,
    [FORMAT_SARIF] = verdict_show_sarif,
    [FORMAT_JUNIT] = verdict_show_junit,
    [FORMAT_CODECLIMATE] = verdict_show_codeclimate,
};

static bool on_github(void)
{
    const char *actions = getenv("GITHUB_ACTIONS");
    return actions != NULL && *actions != '\0';
}

/* On GitHub Actions as an annotation too: the log of a step that ends with status 2 is folded. */
static int refused(const char *name, char *why)
{
    char *printable = text_printable(why, strlen(why)), *printable_name = text_printable(name, strlen(name));
    fprintf(stderr, "pieprof-report: gate: %s: %s\n", printable_name, printable);
    if (on_github()) {
        char *message = escape_command(why, false);
        fprintf(stderr, "::error title=PieProf gate cannot tell::%s\n", message); /* both streams are read */
        free(message);
    }
    free(printable);
    free(printable_name);
    free(why);
    return STATUS_UNUSABLE;
}

/* A step's summary on GitHub Actions; what others wrote there stays. */
static bool append_summary(const struct verdict *verdict)
{
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    if (path == NULL || *path == '\0')
        return true;
    FILE *file = fopen(path, "ae");
    bool good = file != NULL && verdict_show_markdown(file, verdict);
    good = file != NULL && fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "pieprof-report: GITHUB_STEP_SUMMARY: the summary could not be written\n");
    return good;
}

static bool not_updated(const char *path, const char *why)
{
    fprintf(stderr, "pieprof-report: gate: --baseline %s: %s\n", path, why);
    return false;
}

static mode_t mode_of_new(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/*
 * Beside the old one first, so that a full disk loses neither, in a file that nobody else has. With the old one's mode; 0666
 * less the umask where there is none.
 */
static bool replace_baseline(const struct profile *now, const char *path, const struct stat *old)
{
    char *beside = memory_print("%s.XXXXXX", path);
    int descriptor = mkostemp(beside, O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    bool good = file != NULL && fchmod(descriptor, old != NULL ? old->st_mode & 07777 : mode_of_new()) == 0;
    good = good && profile_write(file, now);
    good = file != NULL && fclose(file) == 0 && good && rename(beside, path) == 0;
    if (!good)
        not_updated(path, strerror(errno));
    if (!good && descriptor >= 0)
        unlink(beside);
    free(beside);
    return good;
}

/* A link stays one: what it leads to is replaced. Nobody's read-only file is, whatever root may do. */
static bool update_baseline(const struct profile *now, const char *path)
{
    struct stat old;
    const bool there = stat(path, &old) == 0;
    if (there && (old.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0)
        return not_updated(path, "is read-only; nothing was written");
    char *target = there ? realpath(path, NULL) : NULL;
    if (there && target == NULL)
        return not_updated(path, strerror(errno));
    bool good = replace_baseline(now, target != NULL ? target : path, there ? &old : NULL);
    free(target);
    return good;
}

static void say_updated(const struct verdict *verdict, const char *path)
{
    fprintf(stderr, "pieprof-report: gate: %s: now says what %s does%s\n", path, verdict->now->name,
            verdict->judgement->failed
                ? "; that it was rewritten is why the exit status is 0: the gate failed against what it said before"
                : "");
}

/* The baseline comes before the verdict: where it cannot be written, nothing has passed. */
static int gate_show(const struct verdict *verdict)
{
    const struct options *options = verdict->options;
    const bool updates = options->gate.update_baseline;
    const char *baseline = updates ? options->gate.baselines[0] : NULL;
    enum report_format format = options->format;
    const bool annotated = on_github() && !options->format_given, apart = annotated && options->output != NULL;
    if (annotated && !apart)
        format = FORMAT_GITHUB;
    FILE *out = output_open(options);
    if (out == NULL)
        return STATUS_UNUSABLE;
    if (updates && !update_baseline(verdict->now, baseline)) {
        output_close(out, options);
        return STATUS_UNUSABLE;
    }
    bool good = shows[format](out, verdict);
    good = output_close(out, options) && good;
    if (apart) /* commands are read in the log alone */
        good = verdict_show_commands(stdout, verdict) && fflush(stdout) == 0 && good;
    good = append_summary(verdict) && good;
    if (updates)
        say_updated(verdict, baseline);
    if (!good)
        return STATUS_UNUSABLE;
    return verdict->judgement->failed && !updates ? STATUS_FAILED : STATUS_GOOD;
}

/* With the judgement made: times too where they are asked for. NULL, or why nothing can be told. */
static char *gate_judge(struct judgement *judgement, struct match *match, struct side *now, struct side *base,
                        const struct gate_options *gate)
{
    judge_sides(judgement, match, now, base, gate);
    return gate->time_percent >= 0 ? judge_times(judgement, match, now, base, gate) : NULL;
}

static int gate_decide(struct side *now, struct side *base, const struct options *options)
{
    const struct gate_options *gate = &options->gate;
    const struct profile *first = &now->profiles[0], *before = base->count > 0 ? &base->profiles[0] : NULL;
    char *refusal = gate_refusal_of_sides(now, base, gate);
    if (refusal != NULL)
        return refused(first->name, refusal);
    if (gate->update_baseline && before != NULL && before->from_run)
        return refused(before->name,
                       memory_print("a run is not rewritten; name a JSON file for --update-baseline to write"));
    struct match match;
    struct judgement judgement;
    refusal = gate_judge(&judgement, &match, now, base, gate);
    const struct verdict verdict = {.now = first,
                                    .base = before,
                                    .now_count = now->count,
                                    .base_count = base->count,
                                    .judgement = &judgement,
                                    .options = options};
    int status = refusal != NULL ? refused(first->name, refusal) : gate_show(&verdict);
    judgement_free(&judgement);
    match_free(&match);
    return status;
}

/* Is there nothing yet that --update-baseline would rewrite? */
static bool makes_baseline(const struct gate_options *gate)
{
    return gate->update_baseline && access(gate->baselines[0], F_OK) != 0;
}

/* The first gate of a program has none yet. */
static const char *missing_baseline(const struct gate_options *gate)
{
    for (size_t i = 0; i < gate->baseline_count && !makes_baseline(gate); i++)
        if (access(gate->baselines[i], F_OK) != 0 && errno == ENOENT)
            return gate->baselines[i];
    return NULL;
}

static bool side_load(struct side *side, const char *const *paths, size_t count, const struct options *options)
{
    *side = (struct side){.profiles = memory_zeroed(count, sizeof(*side->profiles))};
    bool good = true;
    for (; side->count < count && good; side->count++)
        good = profile_load(&side->profiles[side->count], paths[side->count], options);
    return good;
}

static void side_free(struct side *side)
{
    for (size_t i = 0; i < side->count; i++)
        profile_free(&side->profiles[i]);
    free(side->profiles);
}

int verb_gate(const struct options *options)
{
    struct options own = *options; /* the ids of --allow-file are added */
    const struct gate_options *gate = &own.gate;
    if (gate->baseline_count == 0 && (!gate->limited || gate->update_baseline))
        return refused(options->file,
                       memory_print("nothing to compare with: name a --baseline, or a limit with --max"));
    const char *missing = missing_baseline(gate);
    if (missing != NULL)
        return refused(missing,
                       memory_print("there is no such baseline; --update-baseline makes a JSON file of the run"));
    if (!gate_options_read_allowed(&own.gate))
        return STATUS_UNUSABLE;
    struct side now, base = {0};
    size_t compared = gate->baseline_count > 0 && !makes_baseline(gate) ? gate->baseline_count : 0;
    int status = STATUS_UNUSABLE;
    if (side_load(&now, options->runs, options->run_count, options) &&
        side_load(&base, gate->baselines, compared, options))
        status = gate_decide(&now, &base, &own);
    side_free(&now);
    side_free(&base);
    intern_free_all();
    return status;
}
