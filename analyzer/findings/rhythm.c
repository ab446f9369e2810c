#include "findings/rhythm.h"

#include "findings/loop.h"
#include "findings/settled.h"
#include "findings/sites.h"

#define AGAIN_MIN 3u /* of each content, so many times at least */
#define CONTENTS_MIN                                                                                                   \
    8u /* of fewer the distances may have such a divisor by chance: of seven, one time in ten thousand */

uint64_t site_rhythm(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->new_last == UINT32_MAX || record->new_step <= AGAIN_MIN ? 0 : record->new_step;
}

bool site_is_in_rhythm(const struct site *site)
{
    return site_new(site) >= CONTENTS_MIN && site_rhythm(site) > 0;
}

bool site_rhythm_is_whole(const struct site *site)
{
    const struct db_site *record = site->record;
    return (site_new(site) - 1) * record->new_step == (uint64_t)record->new_last - record->new_first;
}

/* Is it made by a line of the loop itself, and by native code alone below that? Then no round makes more than one. */
static bool is_made_by_loop(struct model *model, struct process *process, uint32_t node_id,
                            const struct loop_body *loop)
{
    struct code *code = NULL;
    const struct node *node = model_node(process, node_id);
    if (node == NULL)
        return false;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node->python);
    struct line_span span = record != NULL ? model_position(model, process, record, &code) : (struct line_span){0};
    return code == loop->code && span.line > loop->first && span.line <= loop->last &&
           !loop_is_comprehension(model, process, node->python);
}

/* The most that a line of the loop itself makes of one kind: the loop has so many rounds, or more. */
static uint64_t rounds_at_least(struct model *model, struct process *process, const struct loop_body *loop)
{
    size_t count = run_capacity(&process->run->tables[DB_KIND_SITE]);
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const struct db_site *record = process->sites[i].record;
        if (record != NULL && record->births > most && is_made_by_loop(model, process, record->node, loop))
            most = record->births;
    }
    return most;
}

static bool is_about(uint64_t births, uint64_t expected)
{
    uint64_t tolerance = 1 + expected / 50; /* of places that were left out at first, or are made before the loop too */
    return births + tolerance >= expected && births <= expected + tolerance;
}

/* Made by the user's or a package's own code, not by what that calls. */
static bool is_own(struct model *model, const struct site *site)
{
    const struct node *node = model_node(site->process, site->record->node);
    return node != NULL && node->python == objects_caller_frame(model, site->process, site->record->node);
}

enum rhythm site_rhythm_in_loop(struct model *model, const struct site *site)
{
    const struct db_site *record = site->record;
    struct loop_body loop;
    if (!site_is_in_rhythm(site) || record->replicas < AGAIN_MIN * site_new(site) ||
        !loop_body_around(model, site->process, record->node, false, &loop) || site_is_settled(model, site))
        return RHYTHM_NONE;
    uint64_t rounds = rounds_at_least(model, site->process, &loop);
    if (rounds + rounds / 50 >= record->births)
        return RHYTHM_OF_ROUNDS;
    bool within =
        site_rhythm_is_whole(site) && is_own(model, site) && is_about(record->births / site_rhythm(site), rounds);
    return within ? RHYTHM_WITHIN_ROUND : RHYTHM_NONE;
}
