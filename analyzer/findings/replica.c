/*
 * Claim: the line computes results it already had; one computation, kept, would do.
 * Evidence: nearly all objects of its sites equal an earlier one of the same site over the whole run. As many contents as
 * one period has are new, and hardly any more; or one in each round of a loop around (rounds.h), or in every so-many-th of
 * one loop (rhythm.h); or the same contents come in each round, however long, in whatever order (far.h), or more or fewer of
 * them in each (unlike_rounds.h); or files give them, that are read again and again (read_again.h).
 * Traps: the plateau (a mask that stays equal while training converges, then changes: contents beyond those of a period
 * are new; or it never changes, but what it is computed from does: settled.h); an instruction whose other results differ (only a part inside a library repeats); constant contents and
 * copies, which are counted apart; the epoch: batches gathered or read from the data set again in each pass, in whatever order;
 * what is used as it was made, differs then, and is overwritten with the same in the end (unfinished.h); OpenBLAS's work buffers; anything below an import; a plateau of sizes (the members of a cluster that has settled: more was made once than again).
 */
#include <string.h>

#include "findings/checkpoint.h"
#include "findings/comprehension.h"
#include "findings/draws.h"
#include "findings/executions.h"
#include "findings/expression.h"
#include "findings/far.h"
#include "findings/inputs_change.h"
#include "findings/libraries.h"
#include "findings/loop.h"
#include "findings/moving.h"
#include "findings/read_again.h"
#include "findings/replica_words.h"
#include "findings/rhythm.h"
#include "findings/rounds.h"
#include "findings/settled.h"
#include "findings/sites.h"
#include "findings/size_rounds.h"
#include "findings/unfinished.h"
#include "findings/unlike_rounds.h"
#include "findings/ways.h"

#define REPLICAS_MIN 4u   /* a few alike may be one pass of a comprehension; nobody hoists for that */
#define REPLICAS_PART 10u /* of what was examined: where nearly all is of one value, a few that are not say nothing */
#define OPEN_PART 4u      /* of what is known: where more is open, that little may look periodic by chance */
#define NEW_OF_EXAMINED 1000u /* one object in so many may be new beyond the first period */
#define ODD_OF_NEW 2u /* a content that comes once is followed by equals of what was before it: not a period away */

/* Contents of a period: what is of one value throughout is one, too. */
static uint64_t contents_with_constant(const struct site *site)
{
    const struct db_site *record = site->record;
    return site_new(site) + (record->constant > 0 ? 1 : 0) + (record->alike < record->constant ? 1 : 0);
}

/* Neither among those looked at nor among those passed over is there one beyond the first period. */
static bool site_is_periodic(const struct site *site, uint64_t period)
{
    return contents_with_constant(site) <= period && (site->record->unlike & DB_UNLIKE_BEFORE) == 0;
}

/*
 * One that stays may be another now and then, as what is computed from a temperature that is lowered three times; but not alternate with what
 * was there: a picture that is flipped at random has two contents, and who follows "equal to the one before" loses one of them. Of several
 * that come round none may be new: the round is what is to be kept.
 */
bool site_hardly_changes(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t contents = site_new(site), few = record->examined / NEW_OF_EXAMINED,
             beyond = contents > 1 ? contents - 1 : 0;
    return record->period <= 1 && record->replicas > 0 && record->replicas >= contents && beyond <= few &&
           !site_is_periodic(site, 1) && (record->unlike & DB_UNLIKE_NEXT) == 0 &&
           record->replicas - record->period_replicas <= ODD_OF_NEW * beyond + few;
}

bool site_repeats(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t period = record->period > 1 ? record->period : 1;
    return (record->replicas > 0 && record->replicas >= site_new(site) && site_is_periodic(site, period)) ||
           site_hardly_changes(site);
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

/* Does the call that a frame makes only copy what it is given, by its name? */
static bool copies(struct model *model, const struct site *site, uint32_t frame)
{
    static const char *const names[] = {"copy",  "clone",  "contiguous", "ascontiguousarray",
                                        "array", "tensor", "deepcopy"};
    struct operation operation = operation_at(model, site->process, frame);
    for (size_t i = 0; operation.kind == OPERATION_CALL && i < sizeof(names) / sizeof(names[0]); i++)
        if (operation_is_named(&operation, names[i]))
            return !takes_list(&operation);
    return false;
}

static bool is_copy(struct model *model, const struct site *site)
{
    return copies(model, site, callers_frame(site->process, site->record->node));
}

/* The first results of a call that CPython 3.11 and newer then specialise have another way to it, and so a site of their own. */
static bool is_of_one_call(const struct site *one, const struct site *other)
{
    const struct db_node *a = run_record(one->process->run, DB_KIND_NODE, one->record->node),
                         *b = run_record(other->process->run, DB_KIND_NODE, other->record->node);
    return a != NULL && b != NULL && a->frame == b->frame && a->value == b->value &&
           one->record->size_bytes == other->record->size_bytes;
}

/*
 * Is something else than `but` made there about once for each of so many rounds? A result, not a structure of a library's own, which comes as often
 * as chance has it, between others that its instruction makes.
 */
static bool place_makes_once(const struct place *place, uint64_t rounds, const struct site *but)
{
    uint64_t least = rounds - rounds / 4, most = rounds + rounds / 4;
    if (place->most_there < least || place->least_there > most)
        return false;
    for (const struct site *site = place->sites; site != NULL; site = site->next) {
        if (site->births_there < least || site->births_there > most)
            continue; /* nearly all: their records are not read */
        const struct db_site *record = site->record;
        bool is_other = !site_size_takes_turns(site) && (but == NULL || !is_of_one_call(site, but));
        if (record->examined > 0 && record->births <= most && is_other)
            return true;
    }
    return false;
}

/*
 * Alone of its size it has a period of one, but between others: the last batch. Unless one execution makes them all; but where that
 * copies, as the layers of one that stands for six, it is to be there so often. Nor where each size is there for a round of its own.
 */
static bool is_between_others(struct model *model, const struct site *site)
{
    uint64_t births = site->record->births;
    return site->births_there - births > births / 4 && !site_size_is_of_round(site) &&
           (!place_makes_once(site->place, births, NULL) || copies(model, site, site->python));
}

static bool is_made_again(struct model *model, const struct site *site)
{
    if (site_repeats_far(site))
        return !site_moves(model, site) || site_read_again(model, site) > 0;
    if (site->record->replicas < site->record->examined / REPLICAS_PART ||
        site->record->undecided > site->record->examined / OPEN_PART)
        return false;
    if (site_read_again(model, site) > 0)
        return true;
    if (site_rounds_are_unlike(site))
        return !site_moves(model, site) && !is_copy(model, site) &&
               (site_rounds_grow(site) || (!site_is_settled(model, site) && !draws_somewhere(model, site)));
    if (!site_repeats(site)) {
        bool in_rounds = site_repeats_in_rounds(model, site);
        bool stays = in_rounds && site_equals_last(site) && !is_copy(model, site);
        return (in_rounds || (site_repeats_in_rhythm(model, site) && !is_copy(model, site))) &&
               (stays || !site_moves(model, site));
    }
    if (site_is_settled(model, site))
        return false;
    return (site_period(site) == 1 && !is_between_others(model, site)) || !site_moves(model, site) ||
           executions_make_period(model, site);
}

/* Of what stays for rounds it is said, that its inputs change. */
static bool comes_by_chance(struct model *model, const struct site *site)
{
    bool stays = site_repeats(site) && !site_repeats_far(site) && site_period(site) == 1;
    if (site_size_is_of_round(site)) /* in whose rounds they do */
        return false;
    if (site_rounds_grow(site))
        return !site_new_has_digits(site) && site_inputs_are_carried_nearby(model, site);
    if (!stays && !site_repeats(site) && !site_repeats_far(site) && !site_rounds_are_unlike(site))
        return false;
    if (site_hardly_changes(site) && site_new_are_digits(site) && site_inputs_stay_in_function(model, site))
        return false;
    bool change = site_inputs_change(model, site,
                                     !stays                 ? INPUTS_OF_ROUND
                                     : is_copy(model, site) ? INPUTS_OF_COPY
                                                            : INPUTS_OF_ONE);
    return change && !(stays && site_inputs_come_by_header(model, site, true)); /* in whose rounds, likewise */
}

/* OpenBLAS makes no results: what it maps are its threads' work buffers. */
static bool holds(struct model *model, const struct site *site)
{
    return is_made_again(model, site) && site_checkpoint(model, site) != CHECKPOINT_ITSELF &&
           !site_is_made_in(site, "openblas") && !site_is_read_unfinished(model, site) && !comes_by_chance(model, site);
}

/* What is of one value stays, too, but a comparison may be so for a while. */
static bool joins(struct model *model, const struct site *site)
{
    return site_is_constant(site) && !site_inputs_change(model, site, INPUTS_OF_ONE);
}

static uint64_t equal_of(const struct site *site)
{
    if (site_repeats_far(site))
        return site_far_replicas(site);
    if (site_returns_in_rounds(site))
        return site->record->period_replicas;
    return site_is_constant(site) ? site->record->constant - 1 : site->record->replicas; /* the first equals none */
}

static uint64_t examined_of(const struct site *site)
{
    return site_repeats_far(site) ? site->record->far_examined : site->record->examined;
}

/* Beside objects that come again after long, smaller ones speak neither way: there is no far history of them. */
static uint64_t differing_of(const struct site *site)
{
    if (site_repeats_far(site))
        return site->record->far_contents;
    if ((site->record->size_bytes < DB_FAR_MIN_BYTES && place_repeats_far(site->place)) || site_rounds_are_unlike(site))
        return 0;
    return site_new(site) - site_first(site);
}

/* How many objects a round of it has. */
static uint64_t contents_of(const struct finding *finding)
{
    if (site_repeats_far(finding->second))
        return site_far_round(finding->second);
    return finding->object.period > 0 ? finding->object.period : site_new(finding->second);
}

/* Does one execution of the line make all contents of a period, in a loop of the library it calls? */
static bool is_one_execution(const struct finding *finding)
{
    uint64_t rounds = site_results(finding->second) / contents_of(finding);
    for (const struct place *place = finding->line->places; place != NULL; place = place->next)
        if (place_makes_once(place, rounds, finding->second))
            return true;
    return false;
}

/* Are there new ones in each round of a loop around, and in nothing else? */
static bool is_of_rounds(struct model *model, const struct site *site)
{
    return !site_repeats_far(site) && !site_repeats(site) && site_repeats_in_rounds(model, site);
}

/* One result for each time that the line runs, by an operation of its own: as many passes bring as many. A comprehension makes all of its own. */
static bool makes_one(struct model *model, const struct site *site)
{
    const struct node *node = model_node(site->process, site->record->node);
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    return node != NULL && node->python == frame && !loop_is_comprehension(model, site->process, frame);
}

/* Is it the nearest loop that repeats what is new in each round? Then each of its passes makes all, where the line calls more than one thing. */
static bool is_in_nearest_round(struct model *model, const struct site *site)
{
    if (makes_one(model, site))
        return false;
    struct loop_body nearest;
    struct loop repeats = is_of_rounds(model, site) ? site_rounds_loop(model, site) : (struct loop){0};
    return repeats.file != NULL && loop_bodies_around(model, site->process, site->record->node, &nearest, 1) == 1 &&
           nearest.code->file == repeats.file && nearest.first == repeats.line;
}

/* Does one execution of the line make all contents of a period, as far as is seen? */
static bool is_within_line(struct model *model, const struct finding *finding)
{
    const struct site *site = finding->second;
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    return contents_of(finding) > 1 &&
           (is_one_execution(finding) || loop_is_comprehension(model, site->process, frame) ||
            is_in_nearest_round(model, site));
}

/*
 * Do its objects come round, one after the other, as the batches of an epoch do? Where the line is the header of a loop, or
 * the user's own code calls what makes them, or it stands in a loop within a loop. Not where the same execution of the line
 * makes all of a period: in a library's loop, or in a comprehension. Nor where others come round in each round of a loop around: of
 * the layers of a network each has one in a round.
 */
static bool is_round(struct model *model, const struct finding *finding)
{
    const struct site *site = finding->second;
    const struct node *node = model_node(site->process, site->record->node);
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    if (contents_of(finding) <= 1 || node == NULL || is_of_rounds(model, site))
        return false;
    if (finding->object.period == 0) /* in an order that varies: none of them is "it" */
        return true;
    if (loop_is_header(model, site->process, frame))
        return true;
    if (loop_is_comprehension(model, site->process, frame)) {
        uint64_t rounds = site->record->births / contents_of(finding),
                 executions = executions_of(model, finding->line, site->process);
        return executions > rounds + rounds / 2;
    }
    struct loop loops[2];
    bool is_nested = finding->line->caller != NULL || loops_around(model, site->process, frame, loops, 2) == 2 ||
                     comprehension_is_nested(model, site->process, frame);
    return node->python == frame || (is_nested && !is_one_execution(finding));
}

/* Is it open whether its contents come round with the program's loop, or in a package's that is called there? */
static bool may_be_round(struct model *model, const struct finding *finding)
{
    return contents_of(finding) > 1 && !is_of_rounds(model, finding->second) && !is_within_line(model, finding);
}

/* By the line itself: a package that copies what it then works on, as a scaler does, makes more of it. */
static bool is_copy_of_line(struct model *model, const struct site *site)
{
    return is_copy(model, site) && callers_frame(site->process, site->record->node) ==
                                       lines_frame_of_leaf(model, site->process, site->record->node);
}

static const char *name(struct model *model, struct finding *finding)
{
    if (is_round(model, finding))
        return "recomputed input";
    return is_copy_of_line(model, finding->second) ? "API misuse" : "loop-invariant computation";
}

static void say(struct model *model, struct finding *finding)
{
    bool again = is_round(model, finding) || may_be_round(model, finding);
    finding->object.within_line = is_within_line(model, finding);
    replica_say(model, finding, again, !again && is_copy_of_line(model, finding->second));
}

/*
 * What stays, what comes round, what changes now and then; and what is new in each round of a loop, by the loop that repeats it, the births
 * of a round and of a period.
 */
static unsigned sort_of_contents(struct model *model, const struct site *site)
{
    enum { STAYS, COMES_ROUND, CHANGES, OF_ROUNDS };
    bool in_rhythm = !site_repeats_far(site) && !site_repeats(site) && site_repeats_in_rhythm(model, site);
    if (is_of_rounds(model, site) || in_rhythm) {
        uint64_t step = hash_mix(site->record->new_step ^ hash_mix(site_period(site)));
        return OF_ROUNDS + (unsigned)(hash_mix((uint64_t)site_rounds_loop(model, site).line ^ step) >> 33);
    }
    if (site_hardly_changes(site))
        return CHANGES;
    const struct finding alone = {.line = site->place->line, .second = site, .object = {.period = site_period(site)}};
    bool stays = site_is_constant(site) || contents_of(&alone) <= 1 || is_within_line(model, &alone);
    return stays ? STAYS : COMES_ROUND;
}

/* Where another way to the line makes something new of the same expression, the claim is of one way alone. */
static unsigned sort_of(struct model *model, const struct site *site)
{
    const unsigned of_one_way = 1u << 31;
    return sort_of_contents(model, site) | (ways_new_on_another(site->place->line, site) != NULL ? of_one_way : 0);
}

void rule_replica(struct model *model)
{
    static const struct site_rule rule = {.kind = "replica",
                                          .holds = holds,
                                          .joins = joins,
                                          .equal = equal_of,
                                          .examined = examined_of,
                                          .equal_min = REPLICAS_MIN,
                                          .differing = differing_of,
                                          .first = site_first,
                                          .comes_round = is_round,
                                          .name = name,
                                          .say = say,
                                          .sort_of = sort_of};
    sites_find(model, &rule);
}
