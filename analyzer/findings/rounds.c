#include "findings/rounds.h"

#include <math.h>

#include "findings/inputs_change.h"
#include "findings/nearest_loop.h"
#include "findings/rhythm.h"
#include "findings/settled.h"
#include "findings/sites.h"

#define AGAIN_MIN 3u         /* in a round of the outer loop, so many times at least */
#define SHORT_ROUNDS_MIN 20u /* ... or but once, in so many rounds, all of which are alike */
#define ROUNDS_MIN 8u        /* fewer may agree in number by chance */
#define RHYTHM_MIN 4u        /* new contents at equal distances: so many are no chance, whatever else is made */
#define WHOLE_MIN                                                                                                      \
    3u /* ... and so many where the last one stays for as long, to the end, or all for RHYTHM_LONG_BIRTHS */
#define WHOLE_TOLD 2u /* ... where the text tells that a loop around goes from one input to the next */
#define FRAMES_MAX 200
#define LOOPS_MAX 6u

/* Births that something else has which is made once for each round: how many, give or take. */
struct rounds {
    double births, tolerance;
};

/* In how many rounds something was new: each has its contents, which are new one after the other; 0: that is not known. */
static uint64_t rounds_with_new(const struct site *site)
{
    uint64_t of_burst = site_new_of_burst(site);
    return of_burst > 0 ? site_new(site) / of_burst : 0;
}

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

/* Births from the first new content of the first round to that of the last: others of the last may be new behind it, within a period. */
static uint64_t span_of(const struct site *site)
{
    uint64_t span = (uint64_t)site->record->new_last - site->record->new_first;
    return span - span % site->record->period;
}

/* Numbers with digits; or made with such ones, step by step, as what torch.relu() makes of a layer's. */
static bool goes_with_digits(const struct site *site)
{
    const struct db_site *record = site->record;
    const struct site *other = site->place != NULL ? site->place->sites : NULL;
    bool has_digits = record->new_digits >= DB_NEW_MEASURED;
    for (; other != NULL && !has_digits; other = other->next)
        has_digits = other->process == site->process && other->record->new_digits >= DB_NEW_MEASURED &&
                     other->record->births == record->births && other->record->new_step == record->new_step &&
                     other->record->replicas == record->replicas;
    return has_digits;
}

/*
 * Rounds of two or three passes, each of which makes what the first made: numbers with digits, in each of many rounds. Of masks and labels
 * every other may be equal for a while.
 */
static bool are_short(const struct site *site, uint64_t passes)
{
    const struct db_site *record = site->record;
    uint64_t again = site_new(site) * (passes - 1), least = again > record->new_step ? again - record->new_step : 0;
    return rounds_with_new(site) >= SHORT_ROUNDS_MIN && goes_with_digits(site) && record->constant == 0 &&
           record->undecided == 0 && record->replicas >= least && record->replicas <= again + record->new_step;
}

/* Births of a round; 0 where they are not known, or too few for anything to come again. */
static uint64_t step_of(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t rounds = rounds_with_new(site);
    if (rounds < 2 || record->period == 0)
        return 0;
    uint64_t step = rounds == 2 ? span_of(site) : record->new_step;
    uint64_t passes = step / record->period;
    bool comes_again = passes > AGAIN_MIN || (passes > 1 && are_short(site, passes));
    return step % record->period == 0 && comes_again ? step : 0;
}

/*
 * As rounds_of() where contents were new at one distance, births of the site; none where they were not. Where births are passed over, some
 * of the new ones are not seen.
 */
static struct rounds rounds_of_rhythm(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t step = step_of(site);
    if (step == 0)
        return (struct rounds){0};
    uint64_t gaps = rounds_with_new(site) - 1, span = span_of(site);
    bool is_seen_in_part = record->looked_at < record->births && gaps >= ROUNDS_MIN;
    if (gaps > span / step || span % step != 0 || (gaps * step != span && !is_seen_in_part))
        return (struct rounds){0};
    uint64_t births = (record->births - record->new_first) / step + 1;
    bool is_refuted = gaps == 1 && births > 2 && record->looked_at >= record->births; /* no third was new */
    return (struct rounds){.births = is_refuted ? 0 : (double)births};
}

/* Where most births are passed over, few new ones are seen, but at distances that have a divisor: as many as that would give. */
static struct rounds rounds_of_distance(const struct site *site)
{
    return (struct rounds){.births = (double)site->record->births / (double)site_rhythm(site), .tolerance = 1};
}

/* Is all of the run made of so many rounds of one length, or more? That thirds of a hundred births are, has a chance of one in five thousand. */
static bool are_rounds_whole(const struct site *site, uint64_t least)
{
    const struct db_site *record = site->record;
    uint64_t rounds = rounds_with_new(site), step = step_of(site);
    return rounds >= least && step > 0 && record->looked_at >= record->births && record->new_first <= record->period &&
           rounds * step == record->births && span_of(site) == (rounds - 1) * step;
}

/*
 * Has each round one content, which stays for all of it and is that of an earlier round again, as a fold's in each pass of a search? Then one
 * in so many births is not equal to the one before, and no others are: all are looked at.
 */
bool site_returns_in_rounds(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t step = record->period == 1 && site_new_of_burst(site) == 1 ? step_of(site) : 0;
    if (step == 0 || record->constant > 0 || record->undecided > 0 || record->new_first != 1 ||
        record->examined < record->births || record->births < ROUNDS_MIN * step)
        return false;
    uint64_t turns = record->births - 1 - record->period_replicas;
    return turns == (record->births - 1) / step && rounds_with_new(site) <= turns;
}

/* Rows of a function: those of a loop, or a comprehension, in it; and those of the loop around that, which may be its caller's. */
struct part {
    const struct code *code;
    int32_t first, last;
    const struct code *around; /* NULL: no loop is known */
    int32_t around_first, around_last;
};

/* Does the way to `node_id` lead through the loop around, but not through the part? */
static bool is_around(struct model *model, struct process *process, uint32_t node_id, const struct part *part)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        struct code *code;
        struct line_span span =
            record->frame == DB_FRAME_PYTHON ? model_position(model, process, record, &code) : (struct line_span){0};
        bool is_part = span.line > 0 && code == part->code;
        if (is_part && span.line >= part->first && span.line <= part->last)
            return false;
        if (is_part && part->around == NULL)
            return true;
        if (span.line > 0 && code == part->around)
            return span.line >= part->around_first && span.line <= part->around_last;
        record = run_record(process->run, DB_KIND_NODE, record->parent);
    }
    return false;
}

/* Of births that were passed over the text is to say, too, that the nearest loop changes nothing. */
static bool is_told_by_distance(struct model *model, const struct site *site)
{
    return site_rhythm_contents(site) > 0 && site_inputs_stay_nearby(model, site);
}

/* Is something made there as often as the site has new contents? */
static bool are_seen(struct model *model, const struct site *site, const struct part *part)
{
    struct process *process = site->process;
    struct rounds rounds = rounds_of_rhythm(site);
    if (rounds.births <= 0)
        rounds = is_told_by_distance(model, site) ? rounds_of_distance(site) : rounds_of(site);
    size_t count = run_capacity(&process->run->tables[DB_KIND_SITE]);
    for (size_t i = 0; i < count; i++) {
        const struct db_site *other = process->sites[i].record;
        if (other != NULL && fabs((double)other->births - rounds.births) <= rounds.tolerance &&
            is_around(model, process, other->node, part))
            return true;
    }
    return false;
}

/* The frame of the nearest comprehension, where no loop is nearer; 0: there is none. */
static uint32_t comprehension_of(struct model *model, const struct site *site)
{
    struct process *process = site->process;
    struct loop_body loop;
    uint32_t node_id = site->record->node;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX; i++) {
        struct code *code = NULL;
        if (record->frame == DB_FRAME_PYTHON && model_position(model, process, record, &code).line > 0 &&
            code->owner == OWNER_USER) {
            if (loop_is_comprehension(model, process, node_id))
                return node_id;
            if (loop_of_frame(model, process, node_id, &loop))
                return 0;
        }
        node_id = record->parent;
        record = run_record(process->run, DB_KIND_NODE, node_id);
    }
    return 0;
}

static struct loop rounds_comprehension(struct model *model, const struct site *site)
{
    struct process *process = site->process;
    struct loop none = {0};
    struct loop_body outer;
    struct code *code = NULL, *caller = NULL;
    uint32_t frame = comprehension_of(model, site);
    if (frame == 0)
        return none;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    int32_t row = model_position(model, process, record, &code).line;
    if (loop_has_own_frame(code)) {
        const struct node *around = model_node(process, record->parent); /* sum() may stand between */
        frame = around != NULL ? around->python : 0;
        record = run_record(process->run, DB_KIND_NODE, frame);
        if (record == NULL || model_position(model, process, record, &caller).line <= 0 || caller->file != code->file)
            return none;
        code = caller;
    }
    struct part part = {.code = code, .first = row, .last = row};
    if (loop_of_frame(model, process, frame, &outer) || /* or its caller's */
        loop_bodies_around(model, process, site->record->node, &outer, 1) == 1) {
        part.around = outer.code;
        part.around_first = outer.first;
        part.around_last = outer.last;
    }
    return are_seen(model, site, &part) ? (struct loop){code->file, row, true} : none;
}

struct loop site_rounds_loop(struct model *model, const struct site *site)
{
    struct loop_body loops[LOOPS_MAX];
    struct loop comprehension = rounds_comprehension(model, site);
    if (comprehension.file != NULL)
        return comprehension;
    size_t count = loop_bodies_around(model, site->process, site->record->node, loops, LOOPS_MAX);
    for (size_t i = count; i-- > 1;) { /* from the outermost: what is made at first use, once a round, lies within */
        struct part part = {.code = loops[i - 1].code,
                            .first = loops[i - 1].first,
                            .last = loops[i - 1].last,
                            .around = loops[i].code,
                            .around_first = loops[i].first,
                            .around_last = loops[i].last};
        if (are_seen(model, site, &part))
            return (struct loop){.file = loops[i - 1].code->file, .line = loops[i - 1].first};
    }
    return (struct loop){0};
}

bool site_changes_unseen_in_round(struct model *model, const struct site *site)
{
    if (site->record->looked_at >= site->record->births)
        return false;
    struct loop loop = site_rounds_loop(model, site);
    return loop.file != NULL && loop_is(loop, loop_nearest(model, site->process, site->record->node)) &&
           site_inputs_change_in_nearest(model, site, false);
}

/* A loop that goes round within another, which may be a comprehension. */
static bool is_looped_twice(struct model *model, const struct site *site)
{
    struct loop loops[2];
    return loops_around(model, site->process, site->record->node, loops, 2) == 2 ||
           rounds_comprehension(model, site).file != NULL;
}

/* Where numbers alone do not tell: does the text say that the nearest loop makes the same in all its passes? */
static bool is_told(struct model *model, const struct site *site, bool is_one)
{
    bool are_halves = rounds_of_rhythm(site).births > 0 && are_rounds_whole(site, WHOLE_TOLD);
    if (are_halves && site_inputs_come_by_header(model, site, false))
        return true;
    bool is_seen = is_one && (site_returns_in_rounds(site) || site_rounds_loop(model, site).file != NULL);
    return is_seen && site_inputs_stay_nearby(model, site);
}

/*
 * Of two or three passes what was equal may be the last of one round and the first of the next: "for half in (0, 1): p -= slope(q); q += p if half
 * == 0 else 0".
 */
static bool may_be_across_rounds(struct model *model, const struct site *site)
{
    uint64_t step = step_of(site);
    bool is_short = step > 0 && step / site->record->period <= AGAIN_MIN;
    return is_short && site_inputs_are_carried_nearby(model, site);
}

/*
 * Contents that are drawn at random from a few may be as many as the rounds, but do not stay for one. Of several that come round within
 * the rounds, the rhythm is asked for, and numbers with digits: without the one they may be those of a plateau, and labels or masks may
 * stay equal for a round while what they are chosen by changes. Of few rounds, or of unlike ones, the text is to say that the nearest
 * loop changes nothing.
 */
bool site_repeats_in_rounds(struct model *model, const struct site *site)
{
    uint64_t contents = site_new(site);
    bool returns = site_returns_in_rounds(site);
    bool is_one = returns || site_equals_last(site) || site_new_of_burst(site) == 1;
    bool in_rhythm = !returns && contents > 1 && rounds_of_rhythm(site).births > 0;
    if (contents < 2 || (!in_rhythm && site->record->replicas < AGAIN_MIN * contents) ||
        (!returns && !site_equals_at_period(site)) || (!is_one && !site_new_are_digits(site)) ||
        !is_looped_twice(model, site))
        return false;
    uint64_t least = step_of(site) >= RHYTHM_LONG_BIRTHS ? WHOLE_MIN : RHYTHM_MIN;
    bool in_rounds = (in_rhythm && (rounds_with_new(site) >= least || are_rounds_whole(site, WHOLE_MIN))) ||
                     ((in_rhythm || (is_one && contents >= ROUNDS_MIN)) && site_rounds_loop(model, site).file != NULL);
    if (!in_rounds && !is_told(model, site, is_one))
        return false;
    bool is_open = in_rounds && is_one; /* what a mask is chosen by may move, and choose the same for that long */
    bool changes =
        is_open && (site_inputs_change_in_nearest(model, site, true) || site_changes_unseen_in_round(model, site));
    return !changes && !may_be_across_rounds(model, site) && !site_is_settled(model, site);
}
