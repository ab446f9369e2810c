/*
 * Claim: the line computes results it already had; one computation, kept, would do.
 * Evidence: nearly all objects of its sites equal an earlier one of the same site over the whole run. As many contents as
 * one period has are new, and hardly any more; or one in each round of a loop around (rounds.h), or in every so-many-th of
 * one loop (rhythm.h); or the same contents come in each round, however long, in whatever order (far.h).
 * Traps: the plateau (a mask that stays equal while training converges, then changes: contents beyond those of a period
 * are new; or it never changes, but what it is computed from does: settled.h); an instruction whose other results differ (only a part inside a library repeats); constant contents and
 * copies, which are counted apart; the epoch: batches gathered or read from the data set again in each pass, in whatever order;
 * anything below an import; a plateau of sizes (the members of a cluster that has settled: more was made once than again).
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/changed.h"
#include "findings/expression.h"
#include "findings/far.h"
#include "findings/loop.h"
#include "findings/moving.h"
#include "findings/rhythm.h"
#include "findings/rounds.h"
#include "findings/settled.h"
#include "findings/sites.h"
#include "show/page.h"

#define REPLICAS_MIN 4u   /* a few alike may be one pass of a comprehension; nobody hoists for that */
#define REPLICAS_PART 10u /* of what was examined: where nearly all is of one value, a few that are not say nothing */
#define NEW_OF_EXAMINED 1000u /* one object in so many may be new beyond the first period */

bool site_repeats(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t period = record->period > 1 ? record->period : 1, contents = site_new(site);
    return record->replicas > 0 && record->replicas >= contents &&
           contents <= period + record->examined / NEW_OF_EXAMINED;
}

/* "array([a, b])", which makes an array of what is none. Behind the name stands more of a source, which ends in NUL. */
static bool takes_list(const struct operation *operation)
{
    const char *at = operation->name + operation->length_bytes;
    at += strspn(at, " ");
    at += *at == '(' ? 1 : 0;
    at += strspn(at, " \n");
    return *at == '[' || *at == '(';
}

/* Does the call only copy what it is given, by its name? */
static bool is_copy(struct model *model, const struct site *site)
{
    static const char *const names[] = {"copy",  "clone",  "contiguous", "ascontiguousarray",
                                        "array", "tensor", "deepcopy"};
    uint32_t frame = objects_caller_frame(model, site->process, site->record->node);
    struct operation operation = operation_at(model, site->process, frame);
    for (size_t i = 0; operation.kind == OPERATION_CALL && i < sizeof(names) / sizeof(names[0]); i++)
        if (operation_is_named(&operation, names[i]))
            return !takes_list(&operation);
    return false;
}

static bool holds(struct model *model, const struct site *site)
{
    if (site_repeats_far(site))
        return !site_moves(model, site);
    if (site->record->replicas < site->record->examined / REPLICAS_PART)
        return false;
    if (!site_repeats(site))
        return (site_repeats_in_rounds(model, site) ||
                (site_repeats_in_rhythm(model, site) && !is_copy(model, site))) &&
               !site_moves(model, site);
    if (site_is_settled(model, site))
        return false;
    /* Alone of its size it has a period of one, but between others: the last batch. */
    uint64_t births = site->record->births;
    return (site_period(site) == 1 && site_births_there(site) - births <= births / 4) || !site_moves(model, site);
}

static uint64_t equal_of(const struct site *site)
{
    if (site_repeats_far(site))
        return site_far_replicas(site);
    return site_is_constant(site) ? site->record->constant : site->record->replicas;
}

static uint64_t examined_of(const struct site *site)
{
    return site_repeats_far(site) ? site->record->far_examined : site->record->examined;
}

/* The first of a site speaks neither way: where sizes vary, many are made once. */
static uint64_t first_of(const struct site *site)
{
    return site_new(site) > 0 ? 1 : 0;
}

/* Beside objects that come again after long, smaller ones speak neither way: there is no far history of them. */
static uint64_t differing_of(const struct site *site)
{
    if (site_repeats_far(site))
        return site->record->far_contents;
    if (site->record->size_bytes < DB_FAR_MIN_BYTES && place_repeats_far(site->place))
        return 0;
    return site_new(site) - first_of(site);
}

/* How many objects a round of it has. */
static uint64_t contents_of(const struct finding *finding)
{
    if (site_repeats_far(finding->second))
        return site_far_round(finding->second);
    return finding->object.period > 0 ? finding->object.period : site_new(finding->second);
}

/*
 * Does one execution of the line make all contents of a period, in a loop of the library it calls? Then something else on
 * the line is made once for each round.
 */
static bool is_one_execution(const struct finding *finding)
{
    uint64_t rounds = finding->second->record->births / contents_of(finding), most = rounds + rounds / 4;
    for (const struct place *place = finding->line->places; place != NULL; place = place->next)
        for (const struct site *site = place->sites; site != NULL; site = site->next) {
            uint64_t births = site->record->births <= most ? site_births_there(site) : UINT64_MAX;
            if (births >= rounds - rounds / 4 && births <= most)
                return true;
        }
    return false;
}

/*
 * Do its objects come round, one after the other, as the batches of an epoch do? Where the line is the header of a loop, or
 * the user's own code calls what makes them, or it stands in a loop within a loop. Not where the same execution of the line
 * makes all of a period: in a library's loop, or in a comprehension.
 */
static bool is_round(struct model *model, const struct finding *finding)
{
    const struct site *site = finding->second;
    const struct node *node = model_node(site->process, site->record->node);
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    if (contents_of(finding) <= 1 || node == NULL)
        return false;
    if (loop_is_header(model, site->process, frame))
        return true;
    if (loop_is_comprehension(model, site->process, frame))
        return false;
    return node->python == frame || (loop_is_nested(model, site->process, frame) && !is_one_execution(finding));
}

static const char *name(struct model *model, struct finding *finding)
{
    if (is_round(model, finding))
        return "recomputed input";
    return is_copy(model, finding->second) ? "API misuse" : "loop-invariant computation";
}

static bool is_shuffled(const struct finding *finding)
{
    return finding->object.period == 0 && !site_is_constant(finding->second);
}

/* Has it a new content once in so many births, with nothing around its loop that would say why? */
static bool is_in_rhythm(struct model *model, const struct site *site)
{
    return !site_repeats(site) && !site_repeats_far(site) && !site_is_constant(site) &&
           !site_rounds_are_seen(model, site) && site_repeats_in_rhythm(model, site);
}

/* "once in 50 times". */
static char *say_rarely(const struct site *site)
{
    char *count = page_count(site_rhythm(site));
    char *text = memory_print("once in %s times%s", count, site_rhythm_is_whole(site) ? "" : " or more seldom");
    free(count);
    return text;
}

static char *say_equal(struct model *model, const struct finding *finding, bool again, bool copy)
{
    const struct finding_object *object = &finding->object;
    char *equal = page_count(object->equal), *rarely = say_rarely(finding->second), *text;
    if (is_in_rhythm(model, finding->second))
        text = memory_print("%s times equal to the one before, from inputs that change only %s", equal, rarely);
    else if (is_shuffled(finding))
        text = memory_print("%s times equal to an earlier one: the same contents come again, in another order", equal);
    else if (again)
        text = memory_print("%s times equal to the one %u before: the same %u contents come round again", equal,
                            object->period, object->period);
    else if (object->period > 1)
        text =
            memory_print("%s times equal to the one %u before, from inputs that did not change", equal, object->period);
    else
        text = memory_print("%s times equal to the one before, from %s that did not change", equal,
                            copy ? "a source" : "inputs");
    free(equal);
    free(rarely);
    return text;
}

/* What the lines take: the finding's own time does not hold it. */
static double seconds_of(const struct model *model, const struct changed *changed)
{
    double seconds = 0;
    for (size_t i = 0; i < model->line_total; i++) {
        const struct line *line = model->lines[i];
        for (size_t k = 0; k < changed->count; k++)
            if (line->number == changed->lines[k] && strcmp(line->file, changed->file) == 0)
                seconds += (double)times_total(&line->times) * 1e-9;
    }
    return seconds;
}

static char *say_took(double seconds)
{
    char *amount = page_seconds(seconds);
    char *text = seconds > 0 ? memory_print(" and took %s in all", amount) : memory_print("%s", "");
    free(amount);
    return text;
}

/*
 * What is made equal is the finished buffer: lines that store into it behind the one that makes it have to move with that, or
 * they store into what is kept, again and again. Empty where there are none.
 */
static char *say_changes(struct model *model, const struct site *site)
{
    struct changed changed;
    changed_find(&changed, model, site->process, lines_frame_of_leaf(model, site->process, site->record->node));
    if (changed.count == 0)
        return memory_print("%s", "");
    char *text = say_place(model, changed.file, changed.lines[0]);
    for (size_t i = 1; i < changed.count; i++) {
        char *longer = memory_print("%s%s %d", text, i + 1 == changed.count ? " and" : ",", changed.lines[i]);
        free(text);
        text = longer;
    }
    char *took = say_took(seconds_of(model, &changed));
    char *whole =
        memory_print(" What is to be kept is the finished buffer: %s, which store%s into it%s, must move along.", text,
                     changed.count == 1 ? "s" : "", took);
    free(text);
    free(took);
    return whole;
}

static char *say_advice(struct model *model, const struct finding *finding, bool again, bool copy)
{
    const struct site *site = finding->second;
    struct loop loop = loop_around(model, site->process, site->record->node, again);
    char *place = loop.file != NULL ? say_place(model, loop.file, loop.line) : NULL,
         *changes = say_changes(model, site);
    char *rarely = say_rarely(site), *text;
    if (is_in_rhythm(model, site))
        text = memory_print("Build it where its inputs change, %s, and keep it until then.%s", rarely, changes);
    else if (copy && place != NULL)
        text = memory_print("Copy it once, outside the loop at %s%s.%s", place,
                            *changes == '\0' ? ", or use the source itself where nobody stores into the copy" : "",
                            changes);
    else if (place == NULL)
        text = memory_print("%s it once and keep it.%s", copy ? "Copy" : "Build", changes);
    else if (again)
        text = memory_print("Build them once, before or in the first pass of the loop at %s, and keep them%s.%s", place,
                            is_shuffled(finding) ? ", each by what it is made from: they come in another order" : "",
                            changes);
    else
        text = memory_print("Build it once, outside the loop at %s.%s", place, changes);
    free(place);
    free(changes);
    free(rarely);
    return text;
}

static void say(struct model *model, struct finding *finding)
{
    bool again = is_round(model, finding), copy = !again && is_copy(model, finding->second);
    char *made = say_made(&finding->object), *equal = say_equal(model, finding, again, copy);
    char *others = say_others(&finding->object), *part = say_part(model, finding);
    finding->claim =
        memory_print("%s%s%s, %s%s.", made, part != NULL ? " by " : "", part != NULL ? part : "", equal, others);
    finding->advice = part != NULL ? say_part_advice() : say_advice(model, finding, again, copy);
    free(made);
    free(equal);
    free(others);
    free(part);
}

void rule_replica(struct model *model)
{
    static const struct site_rule rule = {.kind = "replica",
                                          .holds = holds,
                                          .joins = site_is_constant,
                                          .equal = equal_of,
                                          .examined = examined_of,
                                          .equal_min = REPLICAS_MIN,
                                          .differing = differing_of,
                                          .first = first_of,
                                          .name = name,
                                          .say = say};
    sites_find(model, &rule);
}
