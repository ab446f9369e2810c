/*
 * Shares of stores, line by line. They were sampled, and many are compared: an interval is as wide as it must be for all of
 * them to hold at once in 95 of 100 comparisons (Bonferroni), and a share has risen only where the two do not touch. It counts
 * only where most of the line's stores are needless now: what is less varies with the data. Where the line is new, or another
 * in the same place that hardly stored, the baseline has no share: there nearly all of its stores must be needless, for a value that is not zero (a buffer that is mostly
 * zeros receives the zeros it holds), and what they cost must be worth telling.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/judge.h"
#include "model/share.h"

#define MISTAKES 0.05
#define NEEDLESS_MIN 0.5
#define APART_MIN 0.1 /* between the intervals: with very many samples data alone sets them a little apart */

/* The z beyond which a normal value lies with this chance on each side; by halving, for erfc has no inverse in libm. */
static double quantile(double chance)
{
    double low = 0, high = 40;
    for (unsigned i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) / 2 > chance)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#define NEW_FRACTION 0.9
#define NEW_PAIRS_MIN 6u    /* with fewer no interval of 95 % lies above NEEDLESS_MIN: 0.025^(1/5) is 0.48 */
#define NEW_TIME_PART 0.005 /* of the run's */

static const struct share *share_of(const struct profile_line *line, enum share_kind kind)
{
    return kind == SHARE_STORES ? &line->stores : &line->dead;
}

static bool is_comparable(const struct share *now, const struct share *before)
{
    return share_estimate_needless(now).known && share_estimate_needless(before).known;
}

static bool is_ignored(const struct profile *profile, const struct profile_line *line, const char *kind)
{
    for (size_t i = 0; i < profile->ignore_count; i++) {
        struct profile_ignore *ignore = &profile->ignores[i];
        if (ignore->file == line->file && ignore->number == line->number && strcmp(ignore->kind, kind) == 0)
            return ignore->used = true;
    }
    return false;
}

static void judge_share(struct judgement *judgement, const struct match *match, size_t line, enum share_kind kind,
                        double z)
{
    const struct profile_line *now = &match->now->lines[line], *before = &match->base->lines[match->base_lines[line]];
    struct estimate is = share_estimate_needless_within(share_of(now, kind), z),
                    was = share_estimate_needless_within(share_of(before, kind), z);
    const char *name = kind == SHARE_STORES ? "redundant_store" : "dead_store";
    if (is.low - was.high < APART_MIN || is.low < NEEDLESS_MIN)
        return;
    struct judged_item item = {.how = JUDGED_SHARE, .profile = match->now, .line = now, .kind = name};
    if (is_ignored(match->now, now, name))
        item.how = JUDGED_SUPPRESSED;
    judgement_add(
        judgement, item,
        memory_print("%s stores are %.0f %% of this line's (%.0f-%.0f %%), %.0f %% in the baseline (%.0f-%.0f %%).",
                     kind == SHARE_STORES ? "Redundant" : "Dead", 100 * is.fraction, 100 * is.low, 100 * is.high,
                     100 * was.fraction, 100 * was.low, 100 * was.high));
}

static bool has_finding(const struct profile *profile, size_t line)
{
    for (size_t i = 0; i < profile->finding_count; i++)
        if (profile->findings[i].line == line)
            return true;
    return false;
}

/* Few pairs may do, for what a new line does is not compared with another share: the interval, widened, decides. */
static bool is_worth(const struct profile *profile, const struct profile_line *line, const struct share *share)
{
    struct estimate estimate = share_estimate_needless_within(share, 0);
    return share->pairs >= NEW_PAIRS_MIN && estimate.known && estimate.fraction >= NEW_FRACTION &&
           2 * share->zero < share->wasted && line->time_s * estimate.fraction >= NEW_TIME_PART * profile->time_s;
}

/* Of a line that the baseline does not have, and that no finding speaks of. */
static void judge_new_share(struct judgement *judgement, const struct match *match, size_t line, enum share_kind kind,
                            double z)
{
    const struct profile_line *now = &match->now->lines[line];
    struct estimate is = share_estimate_needless_within(share_of(now, kind), z);
    const char *name = kind == SHARE_STORES ? "redundant_store" : "dead_store";
    bool told = judgement->item_count > 0 && judgement->items[judgement->item_count - 1].line == now;
    if (is.low < NEEDLESS_MIN || told) /* who writes what is there already overwrites it too */
        return;
    struct judged_item item = {.how = JUDGED_SHARE, .profile = match->now, .line = now, .kind = name};
    if (is_ignored(match->now, now, name))
        item.how = JUDGED_SUPPRESSED;
    judgement_add(judgement, item,
                  memory_print("%s stores are %.0f %% of this line's (%.0f-%.0f %%): %s. The baseline has %s.",
                               kind == SHARE_STORES ? "Redundant" : "Dead", 100 * is.fraction, 100 * is.low,
                               100 * is.high,
                               kind == SHARE_STORES ? "they write what is there already"
                                                    : "they are overwritten before anybody reads them",
                               measured_line_is_new(match, line) ? "no such line" : "another in its place"));
}

static bool is_in_both(const struct match *match, size_t line, enum share_kind kind)
{
    size_t before = match->base_lines[line];
    return before != SIZE_MAX &&
           is_comparable(share_of(&match->now->lines[line], kind), share_of(&match->base->lines[before], kind));
}

static bool is_in_one(const struct match *match, size_t line, enum share_kind kind)
{
    const struct profile_line *now = &match->now->lines[line];
    return (measured_line_is_new(match, line) || measured_line_is_other(match, line)) &&
           !has_finding(match->now, line) && is_worth(match->now, now, share_of(now, kind));
}

void judge_shares(struct judgement *judgement, const struct match *match)
{
    static const enum share_kind kinds[] = {SHARE_STORES, SHARE_DEAD};
    double z = 0;
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i < 2 * match->now->line_count; i++) {
            size_t line = i / 2;
            enum share_kind kind = kinds[i % 2];
            bool both = is_in_both(match, line, kind);
            if (!both && !is_in_one(match, line, kind))
                continue;
            if (round == 0)
                judgement->shares_compared++;
            else if (both)
                judge_share(judgement, match, line, kind, z);
            else
                judge_new_share(judgement, match, line, kind, z);
        }
        z = quantile(MISTAKES / 2 / (double)(judgement->shares_compared > 0 ? judgement->shares_compared : 1));
    }
}
