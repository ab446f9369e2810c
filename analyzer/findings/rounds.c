#include "findings/rounds.h"

#include <math.h>

#include "findings/loop.h"
#include "findings/settled.h"
#include "findings/sites.h"

#define AGAIN_MIN 3u  /* in a round of the outer loop, so many times at least */
#define ROUNDS_MIN 8u /* fewer may agree in number by chance */
#define RHYTHM_MIN 4u /* new contents at equal distances: so many are no chance, whatever else is made */
#define FRAMES_MAX 200

/* Births that something else has which is made once for each new content of the site: how many, give or take. */
struct rounds {
    double births, tolerance;
};

static struct rounds rounds_of(const struct site *site)
{
    const struct db_site *record = site->record;
    double contents = (double)site_new(site), looked_at = (double)record->examined;
    double births = contents * (double)record->births / looked_at;
    /* The first may not have been looked at; of a part of the objects, chance decides how many new ones it holds. */
    double tolerance =
        record->looked_at < record->births ? 1 + 2 * sqrt(contents) * births / contents : 1 + births / 50;
    return (struct rounds){births, fmin(tolerance, 1 + births / 10)};
}

/* As rounds_of() where contents were new at one distance, births of the site; none where they were not. */
static struct rounds rounds_of_rhythm(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t gaps = site_new(site) - 1, span = (uint64_t)record->new_last - record->new_first;
    uint64_t step = gaps == 1 ? span : record->new_step;
    if (record->new_last == UINT32_MAX || step <= AGAIN_MIN || gaps * step != span)
        return (struct rounds){0};
    return (struct rounds){.births = (double)((record->births - record->new_first) / step + 1)};
}

/* Does the way to `node_id` lead through the loop's function, but not through the loop? */
static bool is_around(struct model *model, struct process *process, uint32_t node_id, const struct loop_body *loop)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        struct code *code;
        struct line_span span =
            record->frame == DB_FRAME_PYTHON ? model_position(model, process, record, &code) : (struct line_span){0};
        if (span.line > 0 && code == loop->code)
            return span.line < loop->first || span.line > loop->last;
        record = run_record(process->run, DB_KIND_NODE, record->parent);
    }
    return false;
}

bool site_rounds_are_seen(struct model *model, const struct site *site)
{
    struct process *process = site->process;
    struct loop_body loop;
    if (!loop_body_around(model, process, site->record->node, &loop))
        return false;
    struct rounds rounds = rounds_of_rhythm(site);
    rounds = rounds.births > 0 ? rounds : rounds_of(site);
    const struct run_table *table = &process->run->tables[DB_KIND_SITE];
    size_t count = run_capacity(table);
    for (size_t i = 0; i < count; i++) {
        const struct db_site *other = process->sites[i].record;
        if (other != NULL && fabs((double)other->births - rounds.births) <= rounds.tolerance &&
            is_around(model, process, other->node, &loop))
            return true;
    }
    return false;
}

/* Contents that are drawn at random from a few may be as many as the rounds, but do not stay for one. */
bool site_repeats_in_rounds(struct model *model, const struct site *site)
{
    uint64_t contents = site_new(site);
    struct loop_body loop;
    if (contents < 2 || site->record->replicas < AGAIN_MIN * contents || !site_equals_last(site) ||
        !loop_body_around(model, site->process, site->record->node, &loop))
        return false;
    bool in_rhythm = rounds_of_rhythm(site).births > 0;
    bool in_rounds = (in_rhythm && contents >= RHYTHM_MIN) ||
                     ((in_rhythm || contents >= ROUNDS_MIN) && site_rounds_are_seen(model, site));
    return in_rounds && !site_is_settled(model, site);
}
