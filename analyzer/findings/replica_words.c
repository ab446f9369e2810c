#include "findings/replica_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/changes_words.h"
#include "findings/draws.h"
#include "findings/far.h"
#include "findings/graph.h"
#include "findings/inputs_change.h"
#include "findings/nearest_loop.h"
#include "findings/read_again.h"
#include "findings/replica_loop.h"
#include "findings/rhythm.h"
#include "findings/sites.h"
#include "findings/unlike_rounds.h"
#include "findings/used_up.h"
#include "findings/ways_words.h"
#include "show/page.h"

#define ROOM_MIN_BYTES 0x1p28

static bool is_shuffled(const struct finding *finding)
{
    return finding->object.period == 0 && !site_is_constant(finding->second);
}

/* More or fewer of them, by turns or by parts: not all in another order. */
static bool are_others_between(const struct site *site)
{
    return site_far_takes_turns(site) || site_first_makes_all(site);
}

/* "once in 50 times". */
static char *say_rarely(const struct site *site)
{
    char *count = page_count(site_rhythm(site));
    char *text = memory_print("once in %s times%s", count, site_rhythm_is_whole(site) ? "" : " or more seldom");
    free(count);
    return text;
}

/* Is each equal to the one before, with none between that is another? */
static bool is_always_the_same(struct model *model, const struct finding *finding, bool again)
{
    return !again && finding->object.period <= 1 && !finding->object.hardly_changes &&
           !replica_is_told_by_rhythm(model, finding->second) && !replica_has_moving_inputs(model, finding->second) &&
           !is_shuffled(finding);
}

static char *say_equal(struct model *model, const struct finding *finding, bool again, bool copy)
{
    const struct finding_object *object = &finding->object;
    char *equal = page_times(object->equal), *rarely = say_rarely(finding->second), *text;
    struct loop loops[REPLICA_LOOPS_MAX];
    struct word used_up = used_up_by(model, finding->second->process,
                                     callers_frame(finding->second->process, finding->second->record->node));
    again = again || replica_loops_in_doubt(model, finding, loops) > 0;
    if (replica_is_told_by_rhythm(model, finding->second))
        text = memory_print("%s equal to the one before, from inputs that change only %s", equal, rarely);
    else if (site_rounds_grow(finding->second))
        text = memory_print(
            "%s equal to an earlier one: each round makes all again that the round before had made, and more", equal);
    else if (is_shuffled(finding))
        text = memory_print("%s equal to an earlier one: the same contents come again, %s", equal,
                            site_far_takes_turns(finding->second)   ? "after more or fewer others"
                            : site_first_makes_all(finding->second) ? "fewer at a time or in another order"
                                                                    : "in another order");
    else if (again)
        text = memory_print("%s equal to the one %u before: the same %u contents come round again", equal,
                            object->period, object->period);
    else if (object->hardly_changes && object->period <= 1)
        text = memory_print("%s equal to the one before, from %s", equal,
                            copy ? "a source that hardly ever changes" : "inputs that hardly ever change");
    else if (object->period > 1)
        text = memory_print("%s equal to the one %u before, from inputs that %s", equal, object->period,
                            object->hardly_changes                              ? "hardly ever change"
                            : replica_has_moving_inputs(model, finding->second) ? "did not change in between"
                                                                                : "did not change");
    else if (used_up.length_bytes > 0)
        text = memory_print("%s equal to the one before, whatever %.*s() gave", equal, (int)used_up.length_bytes,
                            used_up.text);
    else
        text = memory_print("%s equal to the one before%s, from %s that did not change%s", equal,
                            replica_is_for_each_size(model, finding) || object->one_size ? " of this size" : "",
                            copy ? "a source" : "inputs",
                            replica_has_moving_inputs(model, finding->second) ? " in between" : "");
    free(equal);
    free(rarely);
    return text;
}

/* What changes with each step may be made of parameters. */
static const char *say_gradient(struct model *model, const struct finding *finding)
{
    const struct site *site = finding->second, *other = finding->object.other_way;
    bool may = replica_has_moving_inputs(model, site) &&
               (graph_may_hold(model, site) || (other != NULL && graph_may_hold(model, other)));
    return may ? " Where more than one backward() goes through it before the inputs change, keep a detached leaf of "
                 "it, and hand that one's gradient on when they do: a graph is freed by its first backward()."
               : "";
}

/* "train.py:11, train.py:19 or main.py:3". */
static char *say_loops(struct model *model, const struct loop *loops, size_t count)
{
    char *text = say_place(model, loops[0].file, loops[0].line);
    for (size_t i = 1; i < count; i++) {
        char *place = say_place(model, loops[i].file, loops[i].line);
        char *longer = memory_print("%s%s %s", text, i + 1 == count ? " or" : ",", place);
        free(text);
        free(place);
        text = longer;
    }
    return text;
}

/* Outside of the nearest loop there is one input at a time, and one size, where the text says that this loop changes nothing. */
static bool is_of_one_input(struct model *model, const struct site *site, struct loop loop)
{
    return loop.file != NULL && loop_is(loop, loop_nearest_block(model, site->process, site->record->node)) &&
           site_inputs_stay_nearby(model, site);
}

/* `loop`: outside of which it is to be built; no file: that is not known. */
static const char *say_each(struct model *model, const struct finding *finding, struct loop loop)
{
    const struct finding_object *object = &finding->object;
    bool varies = replica_is_for_each_size(model, finding) && !is_of_one_input(model, finding->second, loop);
    if (object->ways > 1 && !object->ways_share)
        return varies ? ", for each size and way" : ", for each way";
    if (object->ways > 1 && !varies)
        return ", for all ways";
    return varies ? ", for each size" : "";
}

static const char *say_order(const struct finding *finding)
{
    if (!is_shuffled(finding))
        return "";
    return are_others_between(finding->second) ? ", each by what it is made from"
                                               : ", each by what it is made from: they come in another order";
}

/* Has the other way to the line other loops? */
static bool parts_before_loops(struct model *model, const struct finding *finding, const struct loop *loops,
                               size_t count)
{
    const struct site *other = finding->object.other_way;
    struct loop others[REPLICA_LOOPS_MAX];
    if (other == NULL)
        return false;
    bool same = loops_around(model, other->process, other->record->node, others, REPLICA_LOOPS_MAX) == count;
    for (size_t i = 0; same && i < count; i++)
        same = loop_is(loops[i], others[i]);
    return !same;
}

/* Fresh memory; NULL where there is no such doubt. */
static char *say_in_doubt(struct model *model, const struct finding *finding, const char *changes)
{
    struct loop loops[REPLICA_LOOPS_MAX];
    size_t count = replica_loops_in_doubt(model, finding, loops);
    const char *each = say_each(model, finding, (struct loop){0});
    if (count == 0)
        return NULL;
    if (parts_before_loops(model, finding, loops, count))
        return memory_print("Build them once%s, and keep them.%s", each, changes);
    char *names = say_loops(model, loops + 1, count - 1), *contents = page_count(finding->object.period);
    char *which = is_shuffled(finding) ? memory_print("the same ones") : memory_print("the same %s", contents);
    char *text = memory_print("Build them once%s, before or in the first pass of the loop that makes %s in each pass "
                              "(%s), and keep them%s.%s",
                              each, which, names, say_order(finding), changes);
    free(names);
    free(contents);
    free(which);
    return text;
}

/* By the user's own code, not in what that calls. */
static bool is_made_by_line(const struct model *model, const struct site *site)
{
    const struct node *node = model_node(site->process, site->record->node);
    return node != NULL && node->python == lines_frame_of_leaf(model, site->process, site->record->node);
}

/* Not of a list: what it copies was seen to be a whole object, which has the same content. */
static bool is_of_array(const struct site *site)
{
    return site->record->copies > 0;
}

static char *say_advice(struct model *model, const struct finding *finding, bool again, bool copy)
{
    const struct site *site = finding->second;
    struct loop loop = replica_loop(model, finding, again);
    char *place = loop.file != NULL ? say_place(model, loop.file, loop.line) : NULL,
         *changes = changes_say(model, finding, copy);
    bool several = finding->object.period > 1 && is_made_by_line(model, site);
    const char *what = again || several           ? "them"
                       : finding->object.one_size ? "that of this size"
                                                  : "it",
               *each = say_each(model, finding, loop);
    char *rarely = say_rarely(site), *doubt = say_in_doubt(model, finding, changes), *text;
    if (replica_is_told_by_rhythm(model, site))
        text = memory_print("Build it where its inputs change, %s, and keep it until then.%s%s", rarely, changes,
                            say_gradient(model, finding));
    else if (finding->object.hardly_changes && !replica_is_within_function(model, finding))
        text = memory_print("%s, and keep it until then.%s%s",
                            copy ? "Copy it where the source changes" : "Build it where its inputs change", changes,
                            say_gradient(model, finding));
    else if (copy && place != NULL)
        text = memory_print(
            "Copy it once%s, outside the loop at %s%s.%s", each, place,
            *changes == '\0' && is_of_array(site) ? ", or use the source itself where nobody stores into the copy" : "",
            changes);
    else if (doubt != NULL)
        text = memory_print("%s", doubt);
    else if (replica_comes_round_in_rounds(model, finding) && place == NULL)
        text = memory_print("Build the %u of them where their inputs change%s, and keep them until then.%s%s",
                            finding->object.period, each, changes, say_gradient(model, finding));
    else if (place == NULL && replica_has_moving_inputs(model, site))
        text = memory_print("%s %s where %s%s, and keep %s until then.%s%s", copy ? "Copy" : "Build", what,
                            copy      ? "the source changes"
                            : several ? "their inputs change"
                                      : "its inputs change",
                            each, what, changes, say_gradient(model, finding));
    else if (place == NULL)
        text = memory_print("%s %s once%s%s keep %s%s.%s", copy ? "Copy" : "Build", what, each,
                            *each != '\0' ? ", and" : " and", what, say_order(finding), changes);
    else if (again)
        text = memory_print("Build them once%s, before or in the first pass of the loop at %s, and keep them%s.%s",
                            each, place, say_order(finding), changes);
    else if (replica_comes_round_in_rounds(model, finding) && loop.is_comprehension)
        text = memory_print("Build the %u of them once%s, outside the comprehension at %s.%s%s", finding->object.period,
                            each, place, changes, say_gradient(model, finding));
    else if (replica_comes_round_in_rounds(model, finding))
        text = memory_print("Build the %u of them once%s, before or in the first pass of the loop at %s, and keep them "
                            "for its other passes.%s%s",
                            finding->object.period, each, place, changes, say_gradient(model, finding));
    else
        text = memory_print("Build %s once%s, outside the %s at %s.%s%s", what, each,
                            loop.is_comprehension ? "comprehension" : "loop", place, changes,
                            say_gradient(model, finding));
    free(doubt);
    free(place);
    free(changes);
    free(rarely);
    return text;
}

/* What is in each round once more, and once longer, need not be made again by any. Fresh memory. */
static char *say_new_alone(struct model *model, const struct finding *finding)
{
    struct loop loops[2];
    const struct site *site = finding->second;
    size_t count = loops_around(model, site->process, site->record->node, loops, 2);
    char *place = count == 2 ? say_place(model, loops[1].file, loops[1].line) : NULL;
    char *text =
        memory_print("In each %s%s make only what is new, and keep what the rounds before made, or what is made "
                     "of it.",
                     place != NULL ? "pass of the loop at " : "round", place != NULL ? place : "");
    free(place);
    return text;
}

/* Of contents that come round: what keeping them takes, where that is much. Fresh memory. */
static char *say_room(const struct finding *finding)
{
    double bytes = (double)finding->object.period * (double)finding->object.size_bytes;
    if (bytes < ROOM_MIN_BYTES)
        return memory_print("%s", "");
    char *room = page_bytes((uint64_t)fmin(bytes, 0x1p62));
    char *text = memory_print(" All of them take %s: where that is too much, keep what is made from them.", room);
    free(room);
    return text;
}

/* What a draw does to its covariance is the same each time; the draw is not. */
static const char *say_covariance_advice(void)
{
    return "Draw many at once (its size), or decompose the covariance once (np.linalg.cholesky(); eigh() where it is "
           "singular) and multiply what standard_normal() draws by the factor: the same distribution, other numbers.";
}

/* Takes over the advice, and adds what random numbers ask for, and calls that move on what they take. Fresh memory. */
static char *say_needed(struct model *model, const struct finding *finding, char *advice)
{
    char *used_up = used_up_say(model, finding->second);
    char *text = memory_print("%s%s%s", advice, draws_say(model, finding->second), used_up);
    free(used_up);
    free(advice);
    return text;
}

/* Fresh memory. */
static char *say_read_once(struct model *model, const struct finding *finding, uint64_t contents)
{
    char *changes = changes_say(model, finding, false), *count = page_count(contents),
         *size = page_bytes(finding->object.size_bytes);
    char *text = memory_print("Read each file once, and keep what it gives, by its name: about %s contents of %s.%s",
                              count, size, changes);
    free(changes);
    free(count);
    free(size);
    return text;
}

/* What to do where the whole result can be kept. Fresh memory. */
static char *say_kept(struct model *model, const struct finding *finding, bool again, bool copy)
{
    uint64_t read = site_read_again(model, finding->second);
    char *advice = read > 1                            ? say_read_once(model, finding, read)
                   : site_rounds_grow(finding->second) ? say_new_alone(model, finding)
                                                       : say_advice(model, finding, again, copy),
         *room = say_room(finding);
    char *text = memory_print("%s%s", advice, room);
    free(advice);
    free(room);
    return say_needed(model, finding, text);
}

/* Fresh memory. */
static char *say_unseen(struct model *model, const struct finding *finding, bool again, bool copy)
{
    char *advice = say_kept(model, finding, again, copy);
    char *text = memory_print("What the call made of it in place was not looked at. Where nothing else that it takes "
                              "changes, keep what it returns: %s",
                              advice);
    free(advice);
    return text;
}

static char *say_of_part(struct model *model, const struct finding *finding, bool again, bool copy)
{
    if (draws_by_covariance(model, finding->second))
        return memory_print("%s", say_covariance_advice());
    if (finding->unseen)
        return say_unseen(model, finding, again, copy);
    return say_needed(model, finding, say_part_advice(is_always_the_same(model, finding, again)));
}

void replica_say(struct model *model, struct finding *finding, bool again, bool copy)
{
    char *part = say_part(model, finding), *made = say_made(&finding->object, part);
    char *equal = say_equal(model, finding, again, copy);
    char *others = say_others(&finding->object), *ways = ways_say(model, finding);
    const char *order =
        finding->object.sizes > 1 && replica_is_of_round(model, finding->second) ? ", one after the other" : "";
    const char *sizes = finding->object.one_size ? " What it makes of other sizes is new." : "";
    finding->claim = memory_print("%s, %s%s%s.%s%s", made, equal, others, order, ways, sizes);
    finding->advice = part != NULL ? say_of_part(model, finding, again, copy) : say_kept(model, finding, again, copy);
    free(made);
    free(equal);
    free(others);
    free(part);
    free(ways);
}
