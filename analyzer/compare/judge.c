#include "compare/judge.h"
#include "options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "findings/finding.h"
#include "show/page.h"

#define DECIDES_SHARE 0.9
#define CHANCE_SHARE 0.1  /* what was found and repeats so much less is still there */
#define UNSEEN_SHARE 0.1  /* of the objects made again: where nobody looked at so few, these were not among them */
#define BIRTHS_DIFFER 0.1 /* runs whose births differ by more are told to */

static const struct {
    const char *name;
    bool fails;
} judged[JUDGED_COUNT] = {
#define X(name, text, fails) {text, fails},
    JUDGED(X)
#undef X
};

const char *judged_name(enum judged how)
{
    return judged[how].name;
}

bool judged_fails(enum judged how)
{
    return judged[how].fails;
}

void judgement_add(struct judgement *judgement, struct judged_item item, char *what)
{
    judgement->items =
        memory_grow(judgement->items, judgement->item_count, &judgement->item_capacity, sizeof(*judgement->items));
    item.what = intern_string(what);
    free(what);
    judgement->items[judgement->item_count++] = item;
}

void judgement_note(struct judgement *judgement, char *note)
{
    judgement->notes =
        memory_grow(judgement->notes, judgement->note_count, &judgement->note_capacity, sizeof(*judgement->notes));
    judgement->notes[judgement->note_count++] = intern_string(note);
    free(note);
}

/* What of the baseline a finding stands for: its line, found again, or that of the finding with its id. NULL: none. */
static const struct profile_line *line_before(const struct match *match, const struct profile_finding *finding)
{
    if (match->base_lines[finding->line] != SIZE_MAX)
        return &match->base->lines[match->base_lines[finding->line]];
    for (size_t i = 0; i < match->base->finding_count && !match->known[finding->line]; i++)
        if (match->base->findings[i].id == finding->id)
            return finding_line(match->base, &match->base->findings[i]);
    return NULL;
}

static const char *known_words(const struct match *match, const struct profile_finding *finding,
                               const struct profile_line *before)
{
    if (before != NULL)
        return "In the baseline this line repeated nothing.";
    return match->known[finding->line] ? "In the baseline this line made no objects."
                                       : "The baseline has no such line.";
}

static char *say_sum(const struct repeated *repeated)
{
    char *bytes = page_bytes((uint64_t)repeated->bytes), *objects = page_count((uint64_t)(repeated->objects + 0.5));
    char *text = memory_print("%s%s in %s objects", repeated->about ? "About " : "", bytes, objects);
    free(bytes);
    free(objects);
    return text;
}

/* What a call elsewhere had just made is what the claim counts: of the sum, the rest. Fresh memory. */
static char *say_own(const struct profile_finding *finding, const struct repeated *now)
{
    if (strcmp(finding->category, FINDING_REPEATED_CALL) != 0 || now->own < 1)
        return memory_print("%s", "");
    char *own = page_count((uint64_t)(now->own + 0.5));
    char *text = memory_print(", %s of them equal to an earlier one of this line itself", own);
    free(own);
    return text;
}

static char *say_new(const struct match *match, const struct profile_finding *finding,
                     const struct profile_line *before, const struct repeated *now)
{
    char *sum = say_sum(now), *own = say_own(finding, now);
    char *text = memory_print("%s made again%s.%s%s", sum, own, match != NULL ? " " : "",
                              match != NULL ? known_words(match, finding, before) : "");
    free(sum);
    free(own);
    return text;
}

/* Nobody looked in the baseline: at a place whose objects were full of addresses there, or all alive to the end. */
static char *say_untold(const struct repeated *now, const struct repeated *there)
{
    char *sum = say_sum(now), *unseen = page_count(there->unseen);
    char *text =
        memory_print("%s made again. In the baseline this line made %s objects at which nobody looked: whether "
                     "they repeated cannot be told.",
                     sum, unseen);
    free(sum);
    free(unseen);
    return text;
}

/* Of an edited line, in runs of one length. */
static char *say_grown(const struct repeated *now, const struct repeated *there)
{
    char *sum = say_sum(now), *before = say_sum(there);
    char *text =
        memory_print("%s made again, %s in the baseline, where the line was another; lines that are not edited "
                     "make as many objects as there.",
                     sum, before);
    free(sum);
    free(before);
    return text;
}

static bool births_differ(uint64_t now, uint64_t before)
{
    return (double)now > (1 + BIRTHS_DIFFER) * (double)before || (double)before > (1 + BIRTHS_DIFFER) * (double)now;
}

/* What repeated throughout, if anything did: that is what a finding counts, too. */
static struct repeated firm_of(const struct repeated *there)
{
    struct repeated firm = *there;
    if (there->firm_births > 0) {
        firm.births = there->firm_births;
        firm.bytes = there->firm_bytes;
    }
    return firm;
}

/* "128 KiB made again for each birth, 64 KiB in the baseline (+100 %)". */
static char *say_change(const struct repeated *now, const struct repeated *there)
{
    struct repeated firm = firm_of(there), *before = &firm;
    double now_bytes = now->bytes / (double)now->births, before_bytes = before->bytes / (double)before->births;
    char *a = page_bytes((uint64_t)now_bytes), *b = page_bytes((uint64_t)before_bytes), *text;
    double percent = 100 * (now_bytes / before_bytes - 1);
    bool longer = births_differ(now->births, before->births);
    char *births = page_count(now->births), *births_before = page_count(before->births);
    text = memory_print("%s made again for each birth, %s in the baseline (%+.0f %%)%s%s%s%s%s.", a, b, percent,
                        longer ? "; births differ: " : "", longer ? births : "", longer ? ", " : "",
                        longer ? births_before : "", longer ? " in the baseline" : "");
    free(a);
    free(b);
    free(births);
    free(births_before);
    return text;
}

/* What is known is not told one by one: but for what its verdict does not see, a line that runs more often, or a longer plateau. */
static void note_known(struct judgement *judgement, const struct judged_item *item, const struct repeated *now,
                       const struct repeated *there, const struct gate_options *options, const char *what)
{
    struct repeated firm = firm_of(there);
    double before = firm.bytes / (double)firm.births * (1 + options->increase_percent / 100);
    bool longer = there->plateau && now->bytes / (double)now->births > before;
    if (!longer && !births_differ(now->births, firm.births))
        return;
    judgement_note(judgement, memory_print("%s:%d %s: %s%s", item_path(item), item->line->number, item->kind, what,
                                           longer ? " It repeated in part there: whether data or code made it more "
                                                    "cannot be told, and does not decide."
                                                  : ""));
}

static bool is_allowed(const struct gate_options *options, const struct profile_finding *finding)
{
    for (size_t i = 0; i < options->allowed_count; i++)
        if (strcmp(options->allowed[i], finding->id) == 0)
            return true;
    return false;
}

static void add_repeated(struct repeated *sum, const struct match *match, const struct profile_finding *finding,
                         const struct profile_line *other)
{
    bool same_text = finding_line(match->now, finding)->text == other->text;
    struct repeated repeated = line_repeated_before(other, finding, same_text);
    profile_add(&sum->births, repeated.births);
    profile_add(&sum->unseen, repeated.unseen);
    sum->objects += repeated.objects;
    sum->bytes += repeated.bytes;
    sum->most_bytes += repeated.most_bytes;
    sum->plateau = sum->plateau || repeated.plateau;
    profile_add(&sum->firm_births, repeated.firm_births);
    sum->firm_bytes += repeated.firm_bytes;
    sum->plateau_bytes_each = fmax(sum->plateau_bytes_each, repeated.plateau_bytes_each);
}

static bool stands_at(const struct profile_line *line, struct match_place place)
{
    return place.line > 0 && line->file == place.file && line->number == place.line;
}

/*
 * Is a line of the baseline one of the rows of the statement in which a line stands that is unedited and made nothing there? CPython up to 3.9
 * counts a chain of methods over several rows at its first, later ones each at its own.
 */
static bool shares_statement(const struct match *match, size_t line, const struct profile_line *other)
{
    const struct profile_line *now = &match->now->lines[line];
    const struct profile_file *file = &match->now->files[now->file];
    if (file->statements == NULL || !match_is_unedited(match, now) || match->base_lines[line] != SIZE_MAX)
        return false;
    int32_t first = file->statements[now->number - 1];
    for (int32_t row = first; (size_t)row <= file->line_count && file->statements[row - 1] == first; row++)
        if (stands_at(other, match_place(match, now->file, row)))
            return true;
    return false;
}

/* How much of the statement's waste was at which of its rows cannot be told. */
static void add_statement(struct repeated *sum, const struct match *match, const struct profile_finding *finding)
{
    for (size_t i = 0; i < match->base->line_count; i++)
        if (shares_statement(match, finding->line, &match->base->lines[i]))
            add_repeated(sum, match, finding, &match->base->lines[i]);
    sum->most_bytes = sum->births > 0 ? INFINITY : 0;
}

/*
 * What the line repeated in the baseline. Whether a package's line or the user line that calls it leads depends on the time
 * the user line takes: where nothing is found at the line itself, what was charged to the other counts.
 */
static struct repeated repeated_before(const struct match *match, const struct profile_finding *finding,
                                       const struct profile_line *before)
{
    struct repeated sum = {0};
    if (before != NULL)
        add_repeated(&sum, match, finding, before);
    const struct profile_line *line = finding_line(match->now, finding);
    struct match_place here = match_place(match, line->file, line->number),
                       caller = match_place(match, line->caller_file, line->caller_number);
    const struct profile *base = match->base;
    for (size_t i = 0; base->lines != NULL && i < base->line_count && sum.births == 0; i++) {
        const struct profile_line *other = &base->lines[i];
        bool called = here.line > 0 && other->caller_number == here.line && other->caller_file == here.file;
        if (called || stands_at(other, caller))
            add_repeated(&sum, match, finding, other);
    }
    if (sum.births == 0)
        add_statement(&sum, match, finding);
    return sum;
}

/*
 * What each birth made again in the baseline, at most: what repeats in part there may be counted now or not, as data have
 * it, so that the mean over all is no bound.
 */
static double most_each(const struct repeated *there)
{
    double firm = there->firm_births > 0 ? there->firm_bytes / (double)there->firm_births : 0;
    return fmax(there->most_bytes / (double)there->births, fmax(firm, there->plateau_bytes_each));
}

/*
 * Where runs are of other lengths means alone tell, and they are not of the same places: one that has not yet repeated nine
 * tenths is left out of a short run's. All that a line repeats which was not edited is counted on both sides, then.
 */
static bool repeats_alike(const struct match *match, const struct profile_line *before,
                          const struct profile_finding *finding, double factor)
{
    const struct profile_line *line = finding_line(match->now, finding);
    if (before == NULL || before->text != line->text)
        return false;
    struct repeated now = line_repeated_before(line, finding, true),
                    there = line_repeated_before(before, finding, true);
    return now.births > 0 && there.births > 0 &&
           now.most_bytes / (double)now.births <= factor * there.most_bytes / (double)there.births;
}

/*
 * By counts: made again at least so often before, for each birth? And in all, where the runs are of one length: a mean rises
 * where the smaller waste is mended.
 */
static enum judged against_baseline(const struct match *match, const struct profile_line *before,
                                    const struct profile_finding *finding, const struct repeated *now,
                                    const struct gate_options *options, struct repeated *there)
{
    *there = repeated_before(match, finding, before);
    if (there->births == 0)
        return there->unseen > 0 && (double)there->unseen >= UNSEEN_SHARE * now->objects ? JUDGED_UNTOLD : JUDGED_NEW;
    double factor = 1 + options->increase_percent / 100;
    bool more = now->bytes / (double)now->births > factor * most_each(there) &&
                (judge_same_length(match, 0) ? now->bytes > factor * there->most_bytes
                                             : !repeats_alike(match, before, finding, factor));
    return more ? JUDGED_INCREASED : JUDGED_KNOWN;
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
        before = line_before(match, finding);
    if (!finding_decides(now, finding)) {
        item.how = JUDGED_SMALL;
        judgement_add(judgement, item,
                      memory_print("Too little to decide: below 1 MiB and 1 %% of the object bytes, or "
                                   "below nine tenths of the births."));
        return;
    }
    item.how = match == NULL ? JUDGED_FOUND : against_baseline(match, before, finding, &repeated, options, &there);
    char *what = item.how == JUDGED_UNTOLD                 ? say_untold(&repeated, &there)
                 : match == NULL || item.how == JUDGED_NEW ? say_new(match, finding, before, &repeated)
                                                           : say_change(&repeated, &there);
    if (item.how == JUDGED_KNOWN && judge_has_grown(match, finding, &repeated, &there, options->increase_percent)) {
        item.how = JUDGED_INCREASED;
        free(what);
        what = say_grown(&repeated, &there);
    }
    if (item.how == JUDGED_KNOWN)
        note_known(judgement, &item, &repeated, &there, options, what);
    if (is_allowed(options, finding))
        item.how = JUDGED_ALLOWED;
    judgement_add(judgement, item, what);
}

/* Is `line` of the run that is judged the finding's, or the package's line or user line that may lead in its place? */
static bool stands_for(const struct match *match, const struct profile_finding *finding, size_t line)
{
    const struct profile_line *now = &match->now->lines[line], *base = finding_line(match->base, finding);
    struct match_place here = match_place(match, now->file, now->number),
                       caller = match_place(match, now->caller_file, now->caller_number);
    bool called = here.line > 0 && base->caller_number == here.line && base->caller_file == here.file;
    return match->base_lines[line] == finding->line || called || stands_at(base, caller) ||
           shares_statement(match, line, base);
}

/* Does the run that is judged still make it again? By counts too: which of its lines are findings depends on time. */
static bool is_still_there(const struct match *match, const struct profile_finding *finding)
{
    for (size_t i = 0; i < match->now->finding_count; i++)
        if (match->now->findings[i].id == finding->id)
            return true;
    uint64_t births = 0;
    for (size_t i = 0; i < match->now->line_count && births == 0; i++)
        if (stands_for(match, finding, i))
            births = line_repeated(&match->now->lines[i], finding->kind, DECIDES_SHARE - CHANCE_SHARE).births;
    return births > 0;
}

static void judge_gone(struct judgement *judgement, const struct match *match)
{
    for (size_t i = 0; i < match->base->finding_count; i++) {
        const struct profile_finding *finding = &match->base->findings[i];
        if (!kind_is_exact(finding->kind) || !finding_decides(match->base, finding) || is_still_there(match, finding))
            continue;
        const struct profile_line *line = finding_line(match->base, finding);
        struct repeated repeated = line_repeated(line, finding->kind, DECIDES_SHARE);
        char *sum = say_sum(&repeated);
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
    return "is not used: no such finding here";
}

static void note_unused(struct judgement *judgement, const struct profile *now, const struct gate_options *options)
{
    for (size_t i = 0; i < now->ignore_count; i++) {
        const struct profile_ignore *ignore = &now->ignores[i];
        if (!ignore->used)
            judgement_note(judgement,
                           memory_print("%s:%d: the comment that ignores [%s] %s", now->files[ignore->file].path,
                                        ignore->number, ignore->kind, why_unused(ignore)));
    }
    for (size_t i = 0; i < options->allowed_count; i++) {
        bool used = false;
        for (size_t j = 0; j < now->finding_count; j++)
            used = used || strcmp(now->findings[j].id, options->allowed[i]) == 0;
        if (!used)
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

static int item_order(const void *left, const void *right)
{
    const struct judged_item *a = left, *b = right;
    if (a->how != b->how)
        return a->how < b->how ? -1 : 1;
    if (a->weight < b->weight || a->weight > b->weight)
        return a->weight > b->weight ? -1 : 1;
    int order = strcmp(item_path(a), item_path(b));
    if (order == 0 && a->line != NULL && b->line != NULL)
        order = a->line->number - b->line->number;
    return order != 0 ? order : strcmp(a->kind, b->kind);
}

void judgement_finish(struct judgement *judgement, const struct gate_options *options)
{
    size_t *counts = judgement->counts;
    memset(counts, 0, sizeof(judgement->counts));
    for (size_t i = 0; i < judgement->item_count; i++)
        counts[judgement->items[i].how]++;
    if (judgement->item_count > 0)
        qsort(judgement->items, judgement->item_count, sizeof(*judgement->items), item_order);
    judgement->failed = counts[JUDGED_NEW] > options->new_max;
    for (enum judged how = JUDGED_NEW + 1; how < JUDGED_COUNT; how++)
        judgement->failed = judgement->failed || (judged_fails(how) && counts[how] > 0);
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

void judgement_free(struct judgement *judgement)
{
    free(judgement->items);
    free(judgement->notes);
    *judgement = (struct judgement){0};
}
