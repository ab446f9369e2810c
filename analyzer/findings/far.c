#include "findings/far.h"

#include <math.h>

#include "findings/sites.h"

#define CONTENTS_MIN 8.0 /* fewer may agree by chance */
#define AGAIN_MIN 1.5    /* each comes two and a half times in the mean: a third time proves it whole */
#define SPREAD_MAX 0.67  /* variance of how often they came: the first and the last round are not whole... */
#define SPREAD_PART 0.08 /* ... or, of what comes often, that of the mean: drawn at random it is about the mean */
#define ONE_MORE 0.5     /* object: less is rounding */
#define TURNS_PART 4u /* of its equals, at the commonest distance: in another order each time, chance gives it to few */
#define ROUNDS_SEEN 4u /* from the beginning: what trains gives other contents in so many */
#define SPAN_MIN 0.75  /* of the run that rounds of all contents would span */

uint64_t site_far_replicas(const struct site *site)
{
    return site->record->far_examined - site->record->far_contents;
}

static bool is_of_most(const struct db_site *record)
{
    return record->far_births >= record->births / 2;
}

bool far_shows_more(const struct db_site *record)
{
    double near = record->examined > 0 ? (double)record->replicas / (double)record->examined : 0;
    double far = record->far_examined > 0 ? 1 - (double)record->far_contents / (double)record->far_examined : 0;
    return is_of_most(record) && far * (double)record->far_births >= near * (double)record->births + ONE_MORE;
}

/* Is the far history of the most part of the run, or was the rest left to the near one, to which nearly all was equal? */
static bool covers(const struct db_site *record)
{
    return is_of_most(record) ||
           (record->replicas > 0 && record->replicas * 8 >= (record->examined - record->constant) * 7);
}

/* Are most of those that the near history does not know equal to what another site held? */
static bool copies(const struct site *site)
{
    return site->record->copies > site_new(site) / 2;
}

/*
 * Did the far history see each birth of the first rounds, but for those that it skips, and no more contents than a round has? What was new
 * to the near one after that, which passes births over and takes what it forgot for new, was not.
 */
static bool began_with_round(const struct db_site *record)
{
    return record->far_bits == 0 && record->far_examined == record->far_births &&
           record->far_contents <= record->period && record->far_births >= (uint64_t)ROUNDS_SEEN * record->period &&
           record->new_last > DB_FAR_SKIPPED_BIRTHS + record->period;
}

/*
 * Does the near history know the round, and of more contents than that, all early? What trains comes to rest: the batches of its first
 * epochs gave others. The far history begins later, and need not have seen them. Where few were equal, the near history has hardly begun to
 * see the round, and nothing is known of what is early.
 */
static bool came_to_rest(const struct site *site)
{
    const struct db_site *record = site->record;
    bool has_round =
        record->period > 1 && record->period_replicas > record->replicas / 2 && record->replicas >= site_new(site) / 2;
    bool is_late = record->new_last != UINT32_MAX && record->new_last > record->births / 2;
    return has_round && !began_with_round(record) && site_new(site) > record->period + record->period / 4 && !is_late;
}

/*
 * Was something new to the near history, which looked at all births, after the far one had left them to it? A content that comes again
 * after so few others is none that it has forgotten.
 */
static bool changed_late(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->looked_at >= record->births && record->period > 0 && site_new(site) > record->period &&
           record->new_last != UINT32_MAX && record->new_last > record->far_births + DB_FAR_SKIPPED_BIRTHS;
}

/*
 * Traps. The plateau: contents that stay for a while and go come one after the other, not all in each round: none spans the
 * run. What is drawn at random from a few, as a flip or a crop of the same picture: some come more often than others. A part
 * that is new each time: it comes once, the others often. A copy equals its source, whatever its order, by design.
 */
bool site_repeats_far(const struct site *site)
{
    const struct db_site *record = site->record;
    double contents = (double)record->far_contents, objects = (double)record->far_examined;
    double again = objects - contents;
    if (contents < CONTENTS_MIN || again < AGAIN_MIN * contents || !covers(record) || copies(site) ||
        site_repeats(site) || came_to_rest(site) || changed_late(site))
        return false;
    double often = objects / contents, spread = (double)record->far_squares / contents - often * often;
    double round = (double)record->far_births / often;
    return spread <= fmax(SPREAD_MAX, SPREAD_PART * often) && (double)record->far_spans >= SPAN_MIN * again * round;
}

/* What part of the births are results. */
static double result_part(const struct site *site)
{
    return site->record->births > 0 ? (double)site_results(site) / (double)site->record->births : 0;
}

uint32_t site_far_period(const struct site *site)
{
    const struct db_site *record = site->record;
    if (record->far_period_replicas <= site_far_replicas(site) / 2)
        return 0;
    return (uint32_t)llround(fmax((double)record->far_period * result_part(site), 1));
}

bool site_far_takes_turns(const struct site *site)
{
    return site_repeats_far(site) && site_far_period(site) == 0 &&
           site->record->far_period_replicas >= site_far_replicas(site) / TURNS_PART;
}

uint64_t site_far_round(const struct site *site)
{
    const struct db_site *record = site->record;
    double often = (double)record->far_examined / (double)record->far_contents;
    return (uint64_t)llround(fmax((double)record->far_births / often * result_part(site), 1));
}

bool place_repeats_far(struct place *place)
{
    for (const struct site *site = place->sites; !place->is_far_known && site != NULL; site = site->next)
        place->repeats_far = place->repeats_far || site_repeats_far(site);
    place->is_far_known = true;
    return place->repeats_far;
}
