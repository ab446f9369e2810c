/*
 * Claim: the line calls a native function again that was just called elsewhere with the same arguments.
 * Evidence: nearly all its objects equal a recent, earlier born object of another site made by the same native function.
 * Traps: a copy equals its source by design (counted apart by the shim, but where the same function copied the source),
 * and two may be wanted of one source, or of a part of it, unless the text takes the same rows again; what puts several
 * together has no such source; a site that repeats itself is rule replica's and its waste is told there; values that
 * agree for a while only (more than a few that differ unmake it); another function by the same native entrance (NumPy
 * has one for all of its element-wise ones); a neutral operand (`a + b + c` where c is zero makes `a + b` again, from
 * it; so does `x = a + b`, `x + c`); two masks, limits or models that are the same in these data, though not where what
 * differs goes elsewhere (arguments.h); who made a buffer of zeros did not compute what others then stored there;
 * activation checkpointing makes again what it did not keep, on purpose.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "findings/arguments.h"
#include "findings/blank.h"
#include "findings/checkpoint.h"
#include "findings/expression.h"
#include "findings/graph.h"
#include "findings/libraries.h"
#include "findings/links.h"
#include "findings/moving.h"
#include "findings/operand.h"
#include "findings/sites.h"
#include "findings/taken_again.h"
#include "findings/ways.h"
#include "model/phase.h"
#include "show/page.h"

#define LINKED_MIN 4u
#define DIFFERING_MIN 2u          /* the first pass may find nothing to equal */
#define DIFFERING_OF_EXAMINED 25u /* training every 32 steps makes one in 32 new */

/*
 * Does the first make as many, of which fewer were looked at? Of an object whose counterpart was passed over it is open whether they are equal:
 * until one is found that was, births of the first are thinned while it goes through a whole round ahead of the other.
 */
static bool is_open_in_part(const struct site *site)
{
    if (site->linked == 0)
        return false;
    const struct db_site *first = links_first(site)->record, *second = site->record;
    uint64_t more = first->births > second->births ? first->births - second->births : second->births - first->births;
    return more <= DIFFERING_MIN + second->births / DIFFERING_OF_EXAMINED && first->looked_at < first->births &&
           first->examined < second->examined;
}

static uint64_t examined_of(const struct site *site)
{
    return is_open_in_part(site) ? links_first(site)->record->examined : site->record->examined;
}

static uint64_t differing_of(const struct site *site)
{
    uint64_t fresh = site_fresh(site), known = is_open_in_part(site) ? site_fresh(links_first(site)) : fresh;
    fresh = known < fresh ? known : fresh;
    return fresh > site->linked ? fresh - site->linked : 0;
}

/*
 * A sampler's state is what it had just proposed, or what it was: equal to the first's object, or to the site's own before that. Masks and
 * labels may stay equal while what they are made of changes, so that only numbers with digits to the last tell.
 */
static bool counts_own(const struct site *site)
{
    return site->record->replicas > links_first(site)->record->replicas &&
           site->record->new_digits >= DB_NEW_MEASURED && site_equals_last(site);
}

/*
 * A site that repeats itself where the first does, too, as when the centres of clusters have settled, is equal to that as well: but is told by
 * the shim to be equal to the one before.
 */
static uint64_t equal_of(const struct site *site)
{
    if (site->linked == 0)
        return 0;
    uint64_t own = site->record->replicas, of_first = links_first(site)->record->replicas;
    uint64_t equal = site->linked + (counts_own(site) || own < of_first ? own : of_first);
    return equal < examined_of(site) ? equal : examined_of(site);
}

static uint32_t python_of(const struct site *site)
{
    return model_node(site->process, site->record->node)->python;
}

static uint32_t caller_of(const struct site *site)
{
    return callers_frame(site->process, site->record->node);
}

/*
 * What takes the first's result does not have the first's arguments: it changed nothing, as a sum with zero does. A foundation may have
 * functions of its own in front of the native one.
 */
static bool takes_result(struct model *model, const struct site *first, const struct site *second)
{
    return is_operand(model, second->process, python_of(first), python_of(second)) ||
           is_operand(model, second->process, caller_of(first), caller_of(second));
}

static bool is_same_call(struct model *model, const struct site *first, const struct site *second)
{
    struct operation a = operation_at(model, first->process, python_of(first)),
                     b = operation_at(model, second->process, python_of(second));
    return !operations_differ(&a, &b) && !takes_result(model, first, second) &&
           site_is_blank(model, second) != BLANK_YES;
}

static enum phase phase_of(const struct site *site)
{
    return node_phase(site->process, model_node(site->process, site->record->node));
}

/* Behind a checkpoint the backward pass makes again what the forward one did not keep; where one stands in another, twice. */
static bool is_recomputation(struct model *model, const struct site *first, const struct site *second)
{
    enum checkpoint checkpoint = site_checkpoint(model, second);
    bool is_same_line = first->place != NULL && second->place != NULL && first->place->line == second->place->line;
    return checkpoint == CHECKPOINT_ITSELF ||
           (checkpoint == CHECKPOINT_AROUND && (is_same_line || phase_of(first) != phase_of(second)));
}

static enum arguments arguments_of(struct model *model, const struct site *first, const struct site *second)
{
    return arguments_compare(model, second->process, first->record->node, second->record->node);
}

/*
 * "train(); test()": what a test makes without a graph, and the next training step with one, of weights that did not change between, is no
 * step's to spare.
 */
static bool is_trained_alone(struct model *model, const struct site *first, const struct site *second)
{
    return graph_first_is_without(model, first, second) &&
           ways_part(model, second->process, first->record->node, second->record->node).into_others;
}

bool site_repeats_another(struct model *model, const struct site *site)
{
    return site->linked > differing_of(site) && !site_repeats(site) &&
           differing_of(site) <= DIFFERING_MIN + examined_of(site) / DIFFERING_OF_EXAMINED &&
           (!site_moves(model, site) || site_joins(model, site) ||
            site_is_taken_again(model, links_first(site), site)) &&
           is_same_call(model, links_first(site), site) && !is_recomputation(model, links_first(site), site) &&
           !is_trained_alone(model, links_first(site), site) &&
           arguments_of(model, links_first(site), site) != ARGUMENTS_DIFFER;
}

static const char *name(struct model *model, struct finding *finding)
{
    (void)model;
    finding->first = links_first(finding->second);
    return FINDING_REPEATED_CALL;
}

/* What the earlier objects come from, as the claim names it. Fresh memory. */
static char *say_first(const struct model *model, const struct finding *finding, const struct ways *ways)
{
    const struct place *place = finding->first->place;
    if (place == NULL)
        return memory_print("code without a Python line");
    if (place->line != finding->line)
        return say_place(model, place->line->file, place->line->number);
    if (ways->file == NULL || ways->first == ways->second)
        return memory_print("this line itself");
    char *call = say_place(model, ways->file, ways->first), *text = memory_print("the call at %s", call);
    free(call);
    return text;
}

/* Is what the other line makes told to be what this one had just made? Then neither can wait for the other's. */
static bool is_mutual(const struct model *model, const struct finding *finding)
{
    for (size_t i = 0; i < model->finding_count; i++) {
        const struct finding *other = model->findings[i];
        bool is_repeated = other != finding && other->say == finding->say && other->first->place != NULL;
        if (is_repeated && other->line == finding->first->place->line && other->first->place->line == finding->line)
            return true;
    }
    return false;
}

/* Of calls that differ in other things than what this is made of. Fresh memory. */
static char *say_hand_in(const struct model *model, const struct ways *ways)
{
    char *first = say_place(model, ways->file, ways->first), *second = say_place(model, ways->file, ways->second);
    bool is_one = ways->first == ways->second;
    char *text =
        memory_print("The calls at %s%s%s hand in the same for it: make it once, before them, and hand that in.", first,
                     is_one ? "" : " and ", is_one ? "" : second);
    free(first);
    free(second);
    return text;
}

/*
 * Where some are equal to the one before of their own, as where a sampler turns its proposal down, what the first has just made is not it.
 * Fresh memory.
 */
static char *say_each_kept(const struct model *model, const struct ways *ways, const char *where)
{
    const char *each = "each result with what it is made of, and use it while that is the same";
    if (ways->file == NULL || ways->first == ways->second)
        return memory_print("%s makes it, too: keep %s.", where, each);
    char *first = say_place(model, ways->file, ways->first), *second = say_place(model, ways->file, ways->second);
    char *text = memory_print("The calls at %s and %s make it: keep %s.", first, second, each);
    free(first);
    free(second);
    return text;
}

/* Of two functions that go through the same, as a test for its loss and one for its accuracy: neither has the other's result. */
static struct ways_calls others_calls(struct model *model, const struct finding *finding, const struct ways *ways)
{
    const struct site *first = finding->first, *second = finding->second;
    return ways->into_others ? ways_calls(model, second->process, first->record->node, second->record->node)
                             : (struct ways_calls){0};
}

/* Fresh memory. */
static char *say_once_for_both(const struct model *model, const struct ways_calls *calls)
{
    char *first = say_place(model, calls->first_file, calls->first);
    char *second = say_place(model, calls->second_file, calls->second);
    char *text = memory_print("%s and %s each run it on the same input: run it once, for both.", first, second);
    free(first);
    free(second);
    return text;
}

/* By the two calls where the ways part, which is where the result can be kept; by the lines else. Fresh memory. */
static char *say_advice(struct model *model, const struct finding *finding, const struct ways *ways, const char *where)
{
    const struct ways_calls calls = others_calls(model, finding, ways);
    if (calls.first_file != NULL)
        return say_once_for_both(model, &calls);
    if (ways->file != NULL && arguments_of(model, finding->first, finding->second) == ARGUMENTS_SAME_TAKEN)
        return say_hand_in(model, ways);
    const bool parts = ways->file != NULL && ways->first != ways->second;
    const bool is_of_another = finding->first->place != NULL && finding->first->place->line != finding->line;
    if (counts_own(finding->second) && (parts || (is_of_another && !is_mutual(model, finding))))
        return say_each_kept(model, ways, where);
    if (parts) {
        char *from = say_place(model, ways->file, ways->first), *to = say_place(model, ways->file, ways->second);
        char *text =
            memory_print("Keep the result from %s and use it at %s.%s", from, to,
                         path_of_package_code(ways->file)
                             ? " That is a package's to do: is there a function of its own that gives both at once?"
                             : "");
        free(from);
        free(to);
        return text;
    }
    if (is_of_another)
        return is_mutual(model, finding)
                   ? memory_print("Each of the two makes again what the other had just made: compute it once for both.")
                   : memory_print("Keep the result of %s and use it here.", where);
    if (ways->file == NULL)
        return memory_print("Keep the first result and use it again.");
    char *line = say_place(model, ways->file, ways->first);
    char *text = memory_print("%s calls it more than once: keep %s.", line,
                              counts_own(finding->second)
                                  ? "each result with what it is made of, and use it while that is the same"
                                  : "the first result and use it again");
    free(line);
    return text;
}

/* " or model.py:12", of results that a third line makes some of; empty: none does. Fresh memory. */
static char *say_another(struct model *model, const struct site *another)
{
    if (another == NULL)
        return memory_print("%s", "");
    char *place = say_place(model, another->place->line->file, another->place->line->number);
    char *text = memory_print(" or %s", place);
    free(place);
    return text;
}

/* Fresh memory. */
static char *say_keep_both(struct model *model, const struct finding *finding, const struct site *another)
{
    const struct line *first = finding->first->place->line, *other = another->place->line;
    char *one = say_place(model, first->file, first->number), *two = say_place(model, other->file, other->number);
    char *here = say_place(model, finding->line->file, finding->line->number);
    char *text = memory_print("Keep the results from %s and %s, each for what it is made of, and use them at %s.", one,
                              two, here);
    free(one);
    free(two);
    free(here);
    return text;
}

/* A sampler keeps what it proposed or what it had: the result of before is that of now only where it was accepted. */
static const char *say_when(const struct finding *finding)
{
    bool are_all = finding->object.equal + DIFFERING_MIN >= finding->object.examined;
    return are_all ? "" : " Only where what it is computed from is the same: not each one looked at had its equal.";
}

static void say(struct model *model, struct finding *finding)
{
    const struct site *first = finding->first, *second = finding->second;
    struct ways ways = ways_part(model, second->process, first->record->node, second->record->node);
    char *part = ways.into_others ? NULL : say_part(model, finding), *made = say_made(&finding->object, part);
    char *equal = page_times(finding->object.equal);
    const struct site *another = ways.into_others || counts_own(second) ? NULL : links_another_first(second);
    char *others = say_others(&finding->object), *where = say_first(model, finding, &ways);
    char *or_another = say_another(model, another);
    finding->claim = memory_print("%s, %s equal to what %s%s had just made by the same native function%s%s.", made,
                                  equal, where, or_another, counts_own(second) ? ", or to the one before" : "", others);
    char *advice = part != NULL      ? say_part_advice(false)
                   : another != NULL ? say_keep_both(model, finding, another)
                                     : say_advice(model, finding, &ways, where);
    finding->advice =
        memory_print("%s%s%s", advice, part != NULL ? "" : say_when(finding), graph_advice(model, first, second));
    free(advice);
    free(made);
    free(equal);
    free(others);
    free(where);
    free(or_another);
    free(part);
}

void rule_repeated(struct model *model)
{
    static const struct site_rule rule = {.kind = "replica",
                                          .holds = site_repeats_another,
                                          .equal = equal_of,
                                          .examined = examined_of,
                                          .equal_min = LINKED_MIN,
                                          .differing = differing_of,
                                          .name = name,
                                          .say = say};
    sites_find(model, &rule);
}
