/*
 * Claim: the line's objects are kept after their last use, and stand at the peak of the program's memory: let go of earlier, they
 * would not.
 * Evidence: few of the sampled accesses to them lie in the rest of their lives (idle.h), which is half of them and more, and hardly
 * any in the last quarter; and several stood at the peak at once, of which as many as are so far in their lives in the mean make up
 * a tenth of the peak and more.
 * Traps: what autograd keeps for the backward pass, and whatever else is used again after a pause (the idle part then does not reach
 * to the end: a fact of the line, no finding), be it short; rows of tables that are seldom looked up (never made again: idle.h); one object
 * that happens to stand at the peak (it may be in use at that moment); small programs, whose buffers nobody misses.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "findings/finding.h"
#include "findings/sites.h"
#include "show/page.h"

/* A use by a hundredth of all accesses, as an optimizer's beside products of matrices, is met by one of so many in 19 runs of 20. */
#define ACCESSES_MIN 300u
#define LATE_OF_ACCESSES 600u /* one access in so many may lie in the last quarter of their lives */
#define PEAK_PERCENT 10.0
#define PEAK_MIN_BYTES ((uint64_t)16 << 20)

/* Is the rest of their lives idle, half of them or more? */
static bool is_kept_too_long(const struct idle *idle)
{
    return idle->to == DB_HEAT_PARTS && idle->from * 2 <= DB_HEAT_PARTS && idle->accesses >= ACCESSES_MIN &&
           idle->late * LATE_OF_ACCESSES <= idle->accesses;
}

static char *say_percent(double part, double whole)
{
    return page_percent(whole > 0 ? 100 * part / whole : 0);
}

static void say(struct model *model, struct finding *finding)
{
    const struct idle *idle = &finding->line->idle.widest;
    char *size = page_bytes(finding->object.size_bytes), *made = page_count(finding->object.made);
    char *rest = say_percent(DB_HEAT_PARTS - idle->from, DB_HEAT_PARTS), *seconds = page_seconds(idle->seconds);
    char *bytes = page_bytes(finding->waste_bytes);
    char *accesses = page_count(idle->accesses), *seen = page_count(idle->seen);
    char *part = say_percent((double)finding->waste_bytes, (double)model->memory.record->snapshot_bytes);
    finding->claim = memory_print("%s made %s times; of %s sampled accesses %s lie in the last %s of their lives (%s), "
                                  "%.0f would if they were as dense there. At "
                                  "the peak %s (%s) were kept so.",
                                  size, made, accesses, seen, rest, seconds, idle->expected, bytes, part);
    finding->advice = memory_print(
        "Let go of each after its last use (del, or no name for it); where autograd keeps it for a backward "
        "pass that never comes, compute it under torch.no_grad().");
    char *all[] = {size, made, rest, seconds, bytes, part, accesses, seen};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

static bool is_worth_it(const struct model *model, uint64_t bytes)
{
    const struct db_live *record = model->memory.record;
    return record != NULL && bytes >= PEAK_MIN_BYTES &&
           (double)bytes * 100 >= PEAK_PERCENT * (double)record->snapshot_bytes;
}

static void claim_line(struct model *model, struct line *line)
{
    const struct line_idle *idle = &line->idle;
    const struct db_site *record = idle->site->record;
    struct finding *finding = finding_add(model, line, "idle", "idle activation");
    finding->span = idle->site->place->span;
    finding->waste_bytes = idle->peak_bytes;
    finding->by_memory = true;
    finding->part = idle->widest.accesses - idle->widest.seen;
    finding->whole = idle->widest.accesses;
    finding->first = finding->second = idle->site;
    finding->object = (struct finding_object){.size_bytes = record->size_bytes,
                                              .made = record->births,
                                              .examined = record->examined,
                                              .equal = record->births,
                                              .sizes = 1};
    finding->say = say;
}

void rule_idle(struct model *model)
{
    for (size_t i = 0; i < model->line_total; i++) {
        struct line *line = model->lines[i];
        if (line->idle.site != NULL && is_kept_too_long(&line->idle.widest) &&
            is_worth_it(model, line->idle.peak_bytes) && !finding_has_line(line))
            claim_line(model, line);
    }
}
