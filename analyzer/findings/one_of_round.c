/*
 * Claim: of the results that the line makes by turns, some are the same in each round; those, kept, would do.
 * Evidence: all replicas of a site are a period apart, as many as the rounds of it, and of as few contents as a round has of them; what
 * else it makes is new. So it is where a loop goes through the layers of a network over one graph, of which the first is handed the
 * data, or through data that stay and data that are drawn.
 * Traps: what stays for a while, and then is another (one content more comes again; where births are passed over, that of before is
 * still there behind them, and at the end); masks and labels, which may stay for a whole run; what is stored into in the loop, and was left as it was for one of several by chance; what only moves data, as batches are; what a package makes within itself;
 * what draws random numbers, of which none come to be used: those that follow would be others.
 */
#include "findings/one_of_round.h"

#include <stdlib.h>

#include "base/memory.h"
#include "findings/changes_words.h"
#include "findings/checkpoint.h"
#include "findings/draws.h"
#include "findings/far.h"
#include "findings/inputs_change.h"
#include "findings/libraries.h"
#include "findings/moving.h"
#include "findings/replica_loop.h"
#include "findings/sites.h"
#include "findings/unfinished.h"
#include "show/page.h"

#define ROUNDS_MIN 20u
#define STRETCH_BIRTHS 64u /* that are looked at, one after the other, where others are passed over */

/*
 * Is each of them equal in all rounds but the first? Where births are passed over, stretches of STRETCH_BIRTHS are counted, and one may hold a part of a
 * round.
 */
static bool are_in_all_rounds(const struct db_site *record, uint64_t staying)
{
    uint64_t period = record->period, rounds = record->examined / period, rest = record->examined % period, slack = 0;
    if (record->looked_at < record->births)
        slack = STRETCH_BIRTHS % period == 0 ? staying : staying * (1 + record->examined / STRETCH_BIRTHS);
    return record->replicas + slack >= staying * (rounds - 1) &&
           record->replicas <= staying * (rounds - 1) + (rest < staying ? rest : staying) + slack;
}

/* All that was looked at had a content, and up to the end some of it was that of others. */
static bool is_known(const struct db_site *record)
{
    return record->constant == 0 && record->copies == 0 && record->undecided == 0 &&
           record->examined == record->looked_at &&
           record->births - record->last_known <= db_out_of_sight(record->births, record->period);
}

uint64_t site_staying_of_round(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t staying = record->recurring;
    if (staying == 0 || staying >= record->period || record->examined / record->period < ROUNDS_MIN ||
        record->period_replicas != record->replicas || !is_known(record) || record->recurring_digits != staying ||
        site_repeats(site) || site_repeats_far(site))
        return 0;
    return are_in_all_rounds(record, staying) ? staying : 0;
}

static bool holds(struct model *model, const struct site *site)
{
    return site_staying_of_round(site) > 0 && site_is_called_by_line(model, site) && !site_moves(model, site) &&
           site_checkpoint(model, site) != CHECKPOINT_ITSELF && !site_is_made_in(site, "openblas") &&
           !site_is_read_unfinished(model, site) && !site_inputs_are_stored_into(model, site) &&
           !draws_somewhere(model, site) && !site_repeats_another(model, site);
}

static uint64_t equal_of(const struct site *site)
{
    return site->record->replicas;
}

static uint64_t differing_of(const struct site *site)
{
    return site_new(site) - site_first(site);
}

static const char *name(struct model *model, struct finding *finding)
{
    (void)model;
    (void)finding;
    return FINDING_LOOP_INVARIANT;
}

/* Fresh memory. */
static char *say_advice(struct model *model, const struct finding *finding, bool several)
{
    struct loop loop = finding->object.varies ? replica_loop_within_sizes(model, finding->second)
                                              : replica_loop_outermost(model, finding->second);
    const char *which = several ? "those that stay" : "the one that stays", *it = several ? "them" : "it";
    char *changes = changes_say(model, finding, false), *text;
    if (loop.file == NULL) {
        text = memory_print("Build %s once, and keep %s.%s", which, it, changes);
    } else {
        char *place = say_place(model, loop.file, loop.line);
        text = memory_print("Build %s once, before or in the first pass of the %s at %s, and keep %s.%s", which,
                            loop.is_comprehension ? "comprehension" : "loop", place, it, changes);
        free(place);
    }
    free(changes);
    return text;
}

/* "one is", "2 are". Fresh memory. */
static char *say_same(uint64_t staying)
{
    if (staying == 1)
        return memory_print("one is");
    char *count = page_count(staying), *text = memory_print("%s are", count);
    free(count);
    return text;
}

static void say(struct model *model, struct finding *finding)
{
    const struct finding_object *object = &finding->object;
    uint64_t staying = site_staying_of_round(finding->second), period = finding->second->record->period;
    char *made = say_made(object, NULL), *equal = page_times(object->equal);
    char *others = say_others(object), *of = page_count(period), *same = say_same(staying);
    finding->claim = memory_print("%s, %s equal to the one %s before%s, from inputs that did not change%s. Of each %s "
                                  "in a row %s the same each time; what else it makes is new.",
                                  made, equal, of, object->one_size ? " of this size" : "", others, of, same);
    finding->advice = say_advice(model, finding, staying > 1);
    free(made);
    free(equal);
    free(others);
    free(of);
    free(same);
}

void rule_one_of_round(struct model *model)
{
    static const struct site_rule rule = {.kind = "replica",
                                          .holds = holds,
                                          .equal = equal_of,
                                          .equal_min = ROUNDS_MIN - 1,
                                          .differing = differing_of,
                                          .first = site_first,
                                          .name = name,
                                          .say = say};
    sites_find(model, &rule);
}
