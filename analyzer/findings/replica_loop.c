#include "findings/replica_loop.h"

#include "findings/comprehension.h"
#include "findings/executions.h"
#include "findings/far.h"
#include "findings/inputs_change.h"
#include "findings/loop_feeds.h"
#include "findings/nearest_loop.h"
#include "findings/rhythm.h"
#include "findings/rounds.h"
#include "findings/sites.h"
#include "findings/size_rounds.h"
#include "findings/unlike_rounds.h"

#define FRAMES_MAX 64u /* on a way, so many are asked */

/* Does it stay for all passes of its nearest loop, while one around that goes from one of its inputs to the next? */
static bool is_given_by_header(struct model *model, const struct site *site)
{
    struct site *memo = &site->process->sites[site - site->process->sites];
    if (memo->given == GIVEN_UNKNOWN) {
        struct loop loops[2];
        bool stays = site_repeats(site) && !site_repeats_far(site) && site_period(site) == 1 &&
                     loops_around(model, site->process, site->record->node, loops, 2) == 2;
        bool is_given = stays && site_inputs_come_by_header(model, site, !site_size_may_be_of_round(site));
        memo->given = is_given ? GIVEN_BY_HEADER : GIVEN_OTHERWISE;
    }
    return memo->given == GIVEN_BY_HEADER;
}

bool replica_is_of_round(struct model *model, const struct site *site)
{
    return site_size_is_of_round(site) || is_given_by_header(model, site);
}

bool replica_has_moving_inputs(struct model *model, const struct site *site)
{
    return site_hardly_changes(site) || replica_is_of_round(model, site) ||
           (!site_repeats(site) && !site_repeats_far(site) && !site_is_constant(site) && !site_rounds_are_unlike(site));
}

bool replica_is_told_by_rhythm(struct model *model, const struct site *site)
{
    return replica_has_moving_inputs(model, site) && site_repeats_in_rhythm(model, site) &&
           (site_rounds_loop(model, site).file == NULL || site_changes_unseen_in_round(model, site));
}

bool replica_is_for_each_size(struct model *model, const struct finding *finding)
{
    return finding->object.varies && !replica_is_of_round(model, finding->second);
}

size_t replica_loops_in_doubt(struct model *model, const struct finding *finding, struct loop *loops)
{
    const struct site *site = finding->second;
    if (finding->object.period == 1 || site_is_constant(site) || replica_has_moving_inputs(model, site))
        return 0;
    size_t count = loops_around(model, site->process, site->record->node, loops, REPLICA_LOOPS_MAX);
    return count > 2 ? count : 0;
}

/* The loop around that which goes through a period. Where no text shows one (map(), timeit, a task), none is named. */
static struct loop loop_of_rounds(struct model *model, const struct site *site)
{
    struct loop loops[2] = {0};
    size_t count = loops_around(model, site->process, site->record->node, loops, 2);
    return count == 2 ? loops[1] : (struct loop){0};
}

/*
 * Where sizes differ each looks the same throughout, also in a loop that makes each of them once a pass, of what it goes through: then
 * it is one further out.
 */
static struct loop loop_beyond_sizes(struct model *model, const struct site *site, struct loop loop)
{
    struct loop loops[REPLICA_LOOPS_MAX];
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    if (!loop_feeds(model, site->process, frame, loop))
        return loop;
    size_t count = loops_around(model, site->process, site->record->node, loops, REPLICA_LOOPS_MAX), at = 0;
    while (at < count && !loop_is(loops[at], loop))
        at++;
    for (at++; at < count; at++)
        if (!loop_feeds(model, site->process, frame, loops[at]))
            return loops[at];
    return (struct loop){0};
}

struct loop replica_loop_outermost(struct model *model, const struct site *site)
{
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    struct loop own = loop_outermost_in(model, site->process, frame);
    uint32_t beyond = 0;
    struct loop loop = loop_outermost_frame(model, site->process, site->record->node, &beyond);
    if (own.file != NULL && !loop_is(own, loop) && executions_of(model, site->place->line, site->process) == 1)
        return own;
    struct loop comprehension = comprehension_outermost(model, site->process, loop.file != NULL ? beyond : frame);
    return comprehension.file != NULL ? comprehension : loop;
}

bool replica_comes_round_in_rounds(struct model *model, const struct finding *finding)
{
    return replica_has_moving_inputs(model, finding->second) && finding->object.period > 1 &&
           !finding->object.within_line;
}

/*
 * What makes the same again and again, within a loop that changes what it comes from: of several that come round, none where nothing shows
 * it; else the nearest, where that is not what changes it, by the text, and another around it may be. A comprehension that makes all of a
 * period makes none of them again, nor does the nearest loop where it is what brings them.
 */
static struct loop loop_within_rounds(struct model *model, const struct finding *finding, const struct site *site)
{
    struct loop loop = site_rounds_loop(model, site);
    bool makes_all = finding->object.within_line && finding->object.period > 1;
    struct loop around[2];
    size_t count = loops_around(model, site->process, site->record->node, around, 2);
    bool brings_all = replica_comes_round_in_rounds(model, finding) && count > 0 && loop_is(loop, around[0]);
    if ((makes_all && loop.is_comprehension) || brings_all)
        loop = (struct loop){0};
    struct loop_body blocks[2];
    bool is_outermost =
        count < 2 || (makes_all && loop_bodies_around(model, site->process, site->record->node, blocks, 2) < 2);
    if (loop.file != NULL || is_outermost || replica_comes_round_in_rounds(model, finding) ||
        site_inputs_change_nearby(model, site) || (makes_all && site_inputs_change_in_block(model, site)))
        return loop;
    return makes_all ? loop_nearest_block(model, site->process, site->record->node)
                     : loop_nearest(model, site->process, site->record->node);
}

/* Does what a frame on the way stands at take what the loop goes through? By the text. */
static bool is_fed_by(struct model *model, const struct site *site, struct loop loop)
{
    const struct process *process = site->process;
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    for (unsigned i = 0; i < FRAMES_MAX && frame != 0; i++) {
        if (loop_feeds(model, site->process, frame, loop))
            return true;
        const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
        const struct node *around = record != NULL ? model_node(process, record->parent) : NULL;
        frame = around != NULL ? around->python : 0;
    }
    return false;
}

struct loop replica_loop_within_sizes(struct model *model, const struct site *site)
{
    struct loop loops[REPLICA_LOOPS_MAX], within = {0};
    size_t count = loops_around(model, site->process, site->record->node, loops, REPLICA_LOOPS_MAX), at = 0;
    while (at < count && !is_fed_by(model, site, loops[at]))
        within = loops[at++];
    return at < count ? within : (struct loop){0};
}

/* Where sizes come one after the other the nearest loop has one, if another around it brings them: an only loop brings them itself. */
static struct loop loop_within_size(struct model *model, const struct site *site)
{
    struct loop loops[2], none = {0};
    if (loops_around(model, site->process, site->record->node, loops, 2) < 2)
        return none;
    struct loop within = site_size_is_of_round(site) ? replica_loop_within_sizes(model, site) : none;
    return within.file != NULL ? within : loop_nearest(model, site->process, site->record->node);
}

/* What never changes need not be built again in any loop. */
static struct loop loop_of_way(struct model *model, const struct finding *finding, const struct site *site, bool again)
{
    if (again)
        return loop_of_rounds(model, site);
    if (replica_is_of_round(model, site))
        return loop_within_size(model, site);
    if (replica_is_for_each_size(model, finding) && site_new(site) > 1 && site_period(site) == 1)
        return loop_beyond_sizes(model, site, loop_nearest(model, site->process, site->record->node));
    struct loop loop = replica_has_moving_inputs(model, site) ? loop_within_rounds(model, finding, site)
                       : finding->object.stays                ? replica_loop_outermost(model, site)
                                               : loop_around(model, site->process, site->record->node, false);
    if (!replica_is_for_each_size(model, finding) || loop.is_comprehension)
        return loop;
    const struct loop none = {0};
    bool grows = site_sizes_grow(site) && (!site_size_takes_turns(site) || loop_joins(model, loop));
    return grows ? none : loop_beyond_sizes(model, site, loop);
}

struct loop replica_loop(struct model *model, const struct finding *finding, bool again)
{
    const struct site *other = finding->object.other_way;
    struct loop loop = loop_of_way(model, finding, finding->second, again);
    struct loop another = other != NULL ? loop_of_way(model, finding, other, again) : loop;
    return loop_is(loop, another) ? loop : (struct loop){0};
}

bool replica_is_within_function(struct model *model, const struct finding *finding)
{
    const struct site *site = finding->second;
    return site_hardly_changes(site) && site_inputs_stay_in_function(model, site) &&
           replica_loop(model, finding, false).file != NULL;
}
