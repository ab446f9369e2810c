#include "compare/judge.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/before.h"
#include "compare/length.h"
#include "compare/words.h"
#include "findings/finding.h"
#include "options.h"

/* What is known is not told one by one: but for what its verdict does not see, a line that runs more often, a longer plateau, larger data. */
static void note_known(struct judgement *judgement, const struct match *match, const struct judged_item *item,
                       const struct repeated *now, const struct repeated *there, const struct gate_options *options,
                       const char *what)
{
    struct repeated firm = before_firm(there);
    double before = firm.bytes / (double)firm.births * (1 + options->increase_percent / 100);
    bool more = now->bytes / (double)now->births > before, longer = there->plateau && more;
    bool larger = more && !longer && data_is_larger(match, item->finding->line);
    if (!longer && !larger && !lengths_differ((double)now->births, (double)firm.births))
        return;
    judgement_note(judgement, memory_print("%s:%d %s: %s%s", item_path(item), item->line->number, item->kind, what,
                                           longer   ? " It repeated in part there: whether data or code made it more "
                                                      "cannot be told, and does not decide."
                                           : larger ? " Other lines' buffers grew as much: the data is larger."
                                                    : ""));
}

static bool is_allowed(const struct gate_options *options, const struct profile_finding *finding)
{
    for (size_t i = 0; i < options->allowed_count; i++)
        if (strcmp(options->allowed[i], finding->id) == 0)
            return true;
    return false;
}

static void judge_finding(struct judgement *judgement, const struct profile *now, const struct match *match,
                          const struct profile_finding *finding, const struct gate_options *options)
{
    const struct profile_line *line = finding_line(now, finding), *before = NULL;
    struct repeated repeated = line_repeated(line, finding->kind, DECIDES_SHARE), there;
    struct judged_item item = {
        .profile = now, .finding = finding, .line = line, .kind = finding->kind, .weight = repeated.bytes};
    if (finding->ignored != NULL) {
        item.how = JUDGED_SUPPRESSED;
        judgement_add(
            judgement, item,
            memory_print("ignored by a comment: %s", *finding->ignored != '\0' ? finding->ignored : "no reason given"));
        return;
    }
    if (strcmp(finding->kind, "churn") == 0) { /* a finding where sampled time says so: for one more run it is a toss */
        item.how = JUDGED_NOTED;
        judgement_add(judgement, item, memory_print("What this costs was sampled: it never decides."));
        return;
    }
    if (kind_is_measured(finding->kind)) {
        char *words;
        item.how = judge_measured(match, finding, &words);
        item.how = item.how == JUDGED_NEW && is_allowed(options, finding) ? JUDGED_ALLOWED : item.how;
        judgement_add(judgement, item, words);
        return;
    }
    if (match != NULL)
        before = before_line(match, finding);
    if (!finding_decides(now, finding)) {
        item.how = JUDGED_SMALL;
        judgement_add(judgement, item,
                      memory_print("Too little to decide: below 1 MiB and 1 %% of the object bytes, or "
                                   "below nine tenths of the births."));
        return;
    }
    item.how = match == NULL ? JUDGED_FOUND : before_judge(match, before, finding, &repeated, options, &there);
    char *what = item.how == JUDGED_UNTOLD                 ? words_untold(&repeated, &there)
                 : match == NULL || item.how == JUDGED_NEW ? words_new(match, finding, before, &repeated)
                                                           : words_change(&repeated, &there);
    struct repeated grown;
    if (item.how == JUDGED_KNOWN &&
        judge_has_grown(match, finding, &repeated, &there, options->increase_percent, &grown)) {
        item.how = JUDGED_INCREASED;
        free(what);
        what = words_grown(&grown, &there);
    }
    struct new_caller caller;
    if (item.how == JUDGED_KNOWN && judge_has_new_caller(match, finding, &there, options->increase_percent, &caller)) {
        item.how = JUDGED_INCREASED;
        free(what);
        what = words_called(match, &repeated, &caller);
    }
    if (item.how == JUDGED_KNOWN)
        note_known(judgement, match, &item, &repeated, &there, options, what);
    if (is_allowed(options, finding))
        item.how = JUDGED_ALLOWED;
    judgement_add(judgement, item, what);
}

static void judge_gone(struct judgement *judgement, const struct match *match)
{
    for (size_t i = 0; i < match->base->finding_count; i++) {
        const struct profile_finding *finding = &match->base->findings[i];
        if (!kind_is_exact(finding->kind) || !finding_decides(match->base, finding) ||
            before_is_still_there(match, finding))
            continue;
        const struct profile_line *line = finding_line(match->base, finding);
        struct repeated repeated = line_repeated(line, finding->kind, DECIDES_SHARE);
        char *sum = words_sum(&repeated);
        struct judged_item item = {.how = JUDGED_GONE,
                                   .profile = match->base,
                                   .finding = finding,
                                   .line = line,
                                   .kind = finding->kind,
                                   .weight = repeated.bytes};
        judgement_add(judgement, item, memory_print("%s no longer made again.", sum));
        free(sum);
    }
}

/* Why a comment ignores nothing. */
static const char *why_unused(const struct profile_ignore *ignore)
{
    if (*ignore->kind == '\0')
        return "names no kind; write `# pieprof: ignore[replica] reason`";
    if (!options_know_kind(ignore->kind))
        return "is not used: there is no such kind of finding";
    return "is not used: no such finding on its line";
}

static void note_unused(struct judgement *judgement, const struct profile *now, const struct gate_options *options)
{
    const bool whole = now->phase == PHASE_COUNT; /* what is not used may be for a finding of another phase, else */
    for (size_t i = 0; i < now->ignore_count; i++) {
        const struct profile_ignore *ignore = &now->ignores[i];
        if (!ignore->used && (whole || !options_know_kind(ignore->kind)))
            judgement_note(judgement,
                           memory_print("%s:%d: the comment that ignores [%s] %s", now->files[ignore->file].path,
                                        ignore->number, ignore->kind, why_unused(ignore)));
    }
    for (size_t i = 0; i < options->allowed_count; i++) {
        bool used = false;
        for (size_t j = 0; j < now->finding_count; j++)
            used = used || strcmp(now->findings[j].id, options->allowed[i]) == 0;
        if (!used && whole)
            judgement_note(judgement, memory_print("%s is allowed, but no finding has this id", options->allowed[i]));
    }
}

static void note_partial(struct judgement *judgement, const struct profile *profile)
{
    if (profile->why_partial != NULL)
        judgement_note(judgement, memory_print("only a part of the program's run is in %s: %s", profile->name,
                                               profile->why_partial));
}

static void note_run(struct judgement *judgement, const struct profile *now, const struct profile *base)
{
    note_partial(judgement, now);
    if (now->question != NULL)
        judgement_note(judgement, memory_print("beside the program, another command asked something by `python -c`, "
                                               "and got a no: %s",
                                               now->question));
    if (base != NULL)
        note_partial(judgement, base);
    if (now->without_place > 0)
        judgement_note(judgement,
                       memory_print("%" PRIu64 " objects found no room among the places: they were not looked at",
                                    now->without_place));
    for (enum db_engine engine = DB_ENGINE_TIME; base != NULL && engine <= DB_ENGINE_ACCESS; engine++)
        if (base->engines[engine] && !now->engines[engine])
            judgement_note(judgement, memory_print("the %s engine was on in the baseline and is off now (%s); what it "
                                                   "measures was not compared",
                                                   engine == DB_ENGINE_TIME ? "time" : "access",
                                                   now->why_off[engine] != NULL ? now->why_off[engine] : "no reason"));
}

void judge(struct judgement *judgement, const struct profile *now, const struct profile *base,
           const struct match *match, const struct gate_options *options)
{
    *judgement = (struct judgement){0};
    for (size_t i = 0; i < now->finding_count; i++)
        judge_finding(judgement, now, match, &now->findings[i], options);
    if (match != NULL) {
        judge_shares(judgement, match);
        judge_gone(judgement, match);
        judge_moved(judgement, match, options->increase_percent);
    }
    judge_limits(judgement, now, base, options);
    note_unused(judgement, now, options);
    note_run(judgement, now, base);
    judgement_finish(judgement, options);
}
