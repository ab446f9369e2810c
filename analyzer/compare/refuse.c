/*
 * When the gate must not decide. Each refusal says what is wrong and what to do about it; a gate that passes in silence what
 * it did not look at is worse than none. Arguments, interpreter, machine and environment may differ: they never refuse.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "compare/judge.h"
#include "model/engines.h"
#include "show/page.h"

/* Its text, as far as the run says anything of it; that of -c and of standard input has a name of the interpreter's. */
static const struct profile_file *program_file(const struct profile *profile)
{
    const bool text = strcmp(profile->program_kind, "text") == 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        const char *path = profile->files[i].path;
        if (profile_is_program_file(profile, path) ||
            (text && (strcmp(path, "<string>") == 0 || strcmp(path, "<stdin>") == 0)))
            return &profile->files[i];
    }
    return NULL;
}

/* Does the other's file stand beside this one's, so that it cannot have been renamed? */
static bool is_there_too(const struct profile *profile, const struct profile_file *other)
{
    if (profile->root == NULL)
        return false;
    char *path = memory_print("%s%s", profile->root, other->path);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

/* Of a program that Python took from its command line or a pipe the text may be known to nobody. */
static bool are_alike(const struct profile_file *file, const struct profile_file *before)
{
    if (file == NULL || before == NULL)
        return file == before;
    return (file->digests == NULL && before->digests == NULL) || match_files_alike(before, file) >= MATCH_SAME_FILE;
}

/* A script or module is the same under another name when most of its text is in it, and the old one is there no longer. */
bool judge_same_program(const struct profile *now, const struct profile *base)
{
    if (strcmp(now->program_kind, base->program_kind) != 0)
        return false;
    const struct profile_file *file = program_file(now), *before = program_file(base);
    if (strcmp(now->program_kind, "text") == 0)
        return are_alike(file, before);
    if (strcmp(now->program, base->program) == 0)
        return true;
    return file != NULL && before != NULL && !is_there_too(now, before) &&
           match_files_alike(before, file) >= MATCH_SAME_FILE;
}

static char *refuse_program(const struct profile *now, const struct profile *base)
{
    if (judge_same_program(now, base))
        return NULL;
    return memory_print(
        "another program: %s %s, and the baseline is of %s %s; make a baseline of this program, or name "
        "the right one",
        now->program_kind, now->program, base->program_kind, base->program);
}

static char *refuse_partial(const struct profile *profile, const char *what)
{
    if (profile->why_partial == NULL)
        return NULL;
    return memory_print("%s is not whole: %s; let the program run to its end, or take what there is with --partial",
                        what, profile->why_partial);
}

/* Nothing that was looked at cannot pass. */
static char *refuse_empty_phase(const struct profile *now)
{
    if (now->phase == PHASE_COUNT || !now->from_run || now->samples > 0)
        return NULL;
    for (size_t i = 0; i < now->line_count; i++)
        if (now->lines[i].group_count > 0)
            return NULL;
    return memory_print("the run has neither a sample nor a buffer of %s, so nothing can be decided; `pieprof-report` "
                        "tells the phases that it has",
                        profile_phase_words(now->phase));
}

static char *refuse_engines(const struct profile *now, const struct profile *base)
{
    for (enum db_engine engine = DB_ENGINE_REPLICA; engine <= DB_ENGINE_TRANSFER; engine++) {
        const char *name = engine_name(engine), *why = now->why_off[engine];
        if (base->engines[engine] && !now->engines[engine])
            return memory_print(
                "the %s engine is off (%s), and it was on in the baseline: its exact counts are missing; "
                "record the run with PIEPROF_ENGINES=all",
                name, why != NULL ? why : "no reason is known");
        if (!base->engines[engine] && now->engines[engine])
            return memory_print("the %s engine was off in the baseline, which has none of its counts to compare with; "
                                "make the baseline again with PIEPROF_ENGINES=all",
                                name);
    }
    if (!now->engines[DB_ENGINE_REPLICA] && !now->engines[DB_ENGINE_TRANSFER])
        return memory_print("no engine with exact counts was on in either run, so nothing can be decided; record both "
                            "with PIEPROF_ENGINES=all");
    return NULL;
}

static char *refuse_tolerances(const struct profile *a, const char *what, const struct profile *b, const char *other)
{
    if (!a->from_run || !b->from_run || !a->engines[DB_ENGINE_ACCESS] || !b->engines[DB_ENGINE_ACCESS] ||
        !(a->fp_tolerance < b->fp_tolerance || a->fp_tolerance > b->fp_tolerance))
        return NULL;
    return memory_print(
        "PIEPROF_FP_TOLERANCE was %g in %s, and %g in %s: other values count as equal; record both with one",
        a->fp_tolerance, what, b->fp_tolerance, other);
}

/* Samples take for equal what differs elsewhere: counts by one mode are no measure for counts by the other. */
static char *refuse_digests(const struct profile *a, const char *what, const struct profile *b, const char *other)
{
    if (!a->engines[DB_ENGINE_REPLICA] || !b->engines[DB_ENGINE_REPLICA] || a->sampled_beyond_bytes < 0 ||
        b->sampled_beyond_bytes < 0 || (a->sampled_beyond_bytes > 0) == (b->sampled_beyond_bytes > 0))
        return NULL;
    const char *modes[] = {"full", "sampled"};
    return memory_print("PIEPROF_DIGEST was %s in %s, and %s in %s: other buffers count as equal; record both with one",
                        modes[a->sampled_beyond_bytes > 0], what, modes[b->sampled_beyond_bytes > 0], other);
}

/* What was no object in one of them is new, or gone, in the other. */
static char *refuse_object_sizes(const struct profile *a, const char *what, const struct profile *b, const char *other)
{
    if (!a->engines[DB_ENGINE_REPLICA] || !b->engines[DB_ENGINE_REPLICA] || a->object_min_bytes == b->object_min_bytes)
        return NULL;
    return memory_print("PIEPROF_OBJECT_MIN was %u bytes in %s, and %u in %s: other buffers are objects; record both "
                        "with one",
                        a->object_min_bytes, what, b->object_min_bytes, other);
}

char *judge_phases(const struct profile *a, const char *what, const struct profile *b, const char *other)
{
    if (a->phase == b->phase)
        return NULL;
    return memory_print("%s is of %s, and %s of %s: what one of them counts the other leaves out; compare the same "
                        "phase of both (--phase)",
                        what, profile_phase_words(a->phase), other, profile_phase_words(b->phase));
}

char *judge_settings(const struct profile *a, const char *what, const struct profile *b, const char *other)
{
    char *refusal = refuse_tolerances(a, what, b, other);
    refusal = refusal != NULL ? refusal : refuse_digests(a, what, b, other);
    return refusal != NULL ? refusal : refuse_object_sizes(a, what, b, other);
}

static char *refuse_required(const struct profile *now, const struct gate_options *options)
{
    for (enum db_engine engine = 0; engine < DB_ENGINE_COUNT; engine++)
        if ((options->required >> engine & 1) != 0 && !now->engines[engine])
            return memory_print("--require %s: the engine is off (%s); `pieprof-report doctor` says what it needs",
                                engine_name(engine),
                                now->why_off[engine] != NULL ? now->why_off[engine] : "no reason is known");
    return NULL;
}

/* What a limit needs and the run does not have. */
static char *refuse_metric(const struct profile *profile, const char *what, enum gate_metric metric)
{
    const char *name = gate_metric_name(metric);
    bool sampled = gate_metric_unit(metric) == METRIC_SHARE;
    enum db_engine engine = sampled                    ? DB_ENGINE_ACCESS
                            : metric == GATE_TRANSFERS ? DB_ENGINE_TRANSFER
                                                       : DB_ENGINE_REPLICA;
    if (sampled && !profile->from_run)
        return memory_print(
            "%s needs samples, and %s is an exported baseline, which holds none; give the run's own file", name, what);
    if (metric == GATE_TRANSFERS && !profile->engines[engine])
        return memory_print("%s cannot be limited: the transfer engine is off in %s (%s)", name, what,
                            profile->why_off[engine] != NULL ? profile->why_off[engine] : "no reason is known");
    if (!profile->engines[engine])
        return memory_print("%s needs the %s engine, which is off in %s (%s); record it with PIEPROF_ENGINES=all", name,
                            engine_name(engine), what,
                            profile->why_off[engine] != NULL ? profile->why_off[engine] : "no reason is known");
    if (!metric_of(profile, metric).known)
        return memory_print("%s has too few samples in %s; let the program run longer, or raise PIEPROF_RATE", name,
                            what);
    return NULL;
}

/* A share that is told above its limit, by samples that may have met it by chance: neither yes nor no. */
static char *refuse_doubtful(const struct profile *now, enum gate_metric metric, double limit)
{
    struct metric_value value = metric_of(now, metric);
    if (gate_metric_unit(metric) != METRIC_SHARE || limit < 0 || value.value <= limit || value.low > limit)
        return NULL;
    char *is = page_percent(value.value), *low = page_percent(value.low), *high = page_percent(value.high);
    char *refusal =
        memory_print("%s is %s (%s to %s): too few samples to tell whether it is above %.6g %%; let the program "
                     "run longer, or raise PIEPROF_RATE and PIEPROF_BUDGET",
                     gate_metric_name(metric), is, low, high, limit);
    free(is);
    free(low);
    free(high);
    return refusal;
}

static char *refuse_metrics(const struct profile *now, const struct profile *base, const struct gate_options *options)
{
    char *refusal = NULL;
    for (enum gate_metric metric = 0; metric < GATE_METRIC_COUNT && refusal == NULL; metric++) {
        bool grows = options->increases[metric] >= 0;
        if (options->limits[metric] >= 0 || grows)
            refusal = refuse_metric(now, "the run", metric);
        if (refusal == NULL && grows && base == NULL)
            refusal = memory_print("--max-increase %s=... needs --baseline", gate_metric_name(metric));
        else if (refusal == NULL && grows)
            refusal = refuse_metric(base, "the baseline", metric);
    }
    return refusal;
}

char *gate_refusal(const struct profile *now, const struct profile *base, const struct gate_options *options)
{
    char *refusal = NULL;
    if (!options->partial)
        refusal = refuse_partial(now, "the run");
    if (refusal == NULL && base != NULL && !options->partial)
        refusal = refuse_partial(base, "the baseline");
    if (refusal == NULL)
        refusal = refuse_empty_phase(now);
    if (refusal == NULL && base != NULL)
        refusal = judge_phases(now, "the run", base, "the baseline");
    if (refusal == NULL && base != NULL)
        refusal = refuse_program(now, base);
    if (refusal == NULL && base != NULL)
        refusal = refuse_engines(now, base);
    if (refusal == NULL && base != NULL)
        refusal = judge_settings(now, "the run", base, "the baseline");
    if (refusal == NULL)
        refusal = refuse_required(now, options);
    return refusal != NULL ? refusal : refuse_metrics(now, base, options);
}

/* Runs of one side must be of one code: what is told of a line is told of all. */
static char *refuse_mixture(const struct side *side, const char *what)
{
    for (size_t i = 1; i < side->count; i++) {
        const struct profile *first = &side->profiles[0], *other = &side->profiles[i];
        if (!judge_same_program(first, other))
            return memory_print("%s are of two programs: %s %s in %s, and %s %s in %s; name runs of one", what,
                                first->program_kind, first->program, first->name, other->program_kind, other->program,
                                other->name);
        const char *path = profile_differs(first, other);
        if (path != NULL)
            return memory_print(
                "%s are of different code: %s is not the same in %s and in %s; record all runs of a side "
                "with the same files",
                what, path, first->name, other->name);
        char *refusal = judge_phases(first, first->name, other, other->name);
        refusal = refusal != NULL ? refusal : judge_settings(first, first->name, other, other->name);
        if (refusal != NULL)
            return refusal;
    }
    return NULL;
}

char *gate_refusal_of_sides(const struct side *now, const struct side *base, const struct gate_options *options)
{
    char *refusal = NULL;
    for (size_t i = 0; i < now->count && refusal == NULL; i++)
        for (size_t j = 0; (j < base->count || j == 0) && refusal == NULL; j++)
            refusal = gate_refusal(&now->profiles[i], base->count > 0 ? &base->profiles[j] : NULL, options);
    for (enum gate_metric metric = 0; metric < GATE_METRIC_COUNT && now->count == 1 && refusal == NULL; metric++)
        refusal =
            refuse_doubtful(&now->profiles[0], metric, options->limits[metric]); /* several runs are added up first */
    if (refusal == NULL && options->update_baseline && (now->count > 1 || options->baseline_count > 1))
        refusal = memory_print("--update-baseline writes one run into one file; name one of each");
    if (refusal == NULL && options->time_percent >= 0 && base->count == 0)
        refusal = memory_print("--time needs --baseline, with the runs to compare with");
    if (refusal == NULL)
        refusal = refuse_mixture(now, "the runs");
    return refusal != NULL ? refusal : refuse_mixture(base, "the baselines");
}
