/*
 * Claim: of the results that the line makes by turns, some are the same in each round; those, kept, would do.
 * Evidence: all replicas of a site are a period apart, and as many as the rounds of it, over the whole run; what else it makes is
 * new. So it is where a loop goes through the layers of a network over one graph, of which the first is handed the data, or
 * through data that stay and data that are drawn.
 * Traps: what stays for a while (a round that lacks it unmakes the claim, and all births must have been looked at); masks and labels, which may do so for a whole run; what is stored into in
 * the loop, and was left as it was for one of several by chance; what only moves data, as batches are; what a package makes within itself.
 */
#include "findings/one_of_round.h"

#include <stdlib.h>

#include "base/memory.h"
#include "findings/changes_words.h"
#include "findings/checkpoint.h"
#include "findings/far.h"
#include "findings/inputs_change.h"
#include "findings/libraries.h"
#include "findings/moving.h"
#include "findings/replica_loop.h"
#include "findings/sites.h"
#include "findings/unfinished.h"
#include "show/page.h"

#define ROUNDS_MIN 20u

/*
 * Are the new ones at the same place in each round? Of the layers of one network that changes every other time, or of which one does by turns, as
 * many are equal. Where bursts of new ones are told apart, there is one a round then, at one distance. Two of three that end one after the other are
 * what looks like one burst: no period lies between them, as one does elsewhere. Of four and more that is so elsewhere, too: no number tells.
 */
static bool are_new_in_place(const struct db_site *record, uint64_t staying, uint64_t rounds)
{
    bool is_one_a_round =
        record->new_step == record->period && record->new_bursts <= rounds + 1 && record->new_bursts + 1 >= rounds;
    return is_one_a_round || (staying == 1 && record->period == 3 && record->new_bursts == 1);
}

/* Each is equal in all rounds but the first. */
static bool are_in_all_rounds(const struct db_site *record, uint64_t staying, uint64_t rounds)
{
    uint64_t rest = record->examined % record->period;
    return record->replicas == staying * (rounds - 1) + (rest < staying ? rest : staying) &&
           are_new_in_place(record, staying, rounds);
}

uint64_t site_staying_of_round(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t rounds = record->period > 1 ? record->examined / record->period : 0;
    bool is_known = record->constant == 0 && record->copies == 0 && record->looked_at == record->births &&
                    record->examined == record->births && record->new_last != UINT32_MAX;
    if (rounds < ROUNDS_MIN || !is_known || record->period_replicas != record->replicas ||
        record->new_digits < DB_NEW_MEASURED || site_repeats(site) || site_repeats_far(site))
        return 0;
    uint64_t staying = (record->replicas + (rounds - 1) / 2) / (rounds - 1);
    return staying < record->period && are_in_all_rounds(record, staying, rounds) ? staying : 0;
}

static bool holds(struct model *model, const struct site *site)
{
    return site_staying_of_round(site) > 0 && site_is_called_by_line(model, site) && !site_moves(model, site) &&
           site_checkpoint(model, site) != CHECKPOINT_ITSELF && !site_is_made_in(site, "openblas") &&
           !site_is_read_unfinished(model, site) && !site_inputs_are_stored_into(model, site);
}

static uint64_t equal_of(const struct site *site)
{
    return site->record->replicas;
}

/* The first of a site speaks neither way, as in rule replica. */
static uint64_t first_of(const struct site *site)
{
    return site_new(site) > 0 ? 1 : 0;
}

static uint64_t differing_of(const struct site *site)
{
    return site_new(site) - first_of(site);
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
    struct loop loop = replica_loop_outermost(model, finding->second);
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
                                          .first = first_of,
                                          .name = name,
                                          .say = say};
    sites_find(model, &rule);
}
