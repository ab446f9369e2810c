/*
 * Waste that only moved: an expression wrapped over several rows, or several joined to one, a line split into several, its function
 * inlined, a part of it extracted, three products joined to one. The text does not tell; what is gone and what is new do: of one kind, and
 * together as many bytes. A waste that was mended while another of just these counts came in looks the same, and passes as moved:
 * the item says where from. Runs of another length have other counts: there what stands between the same lines as before is judged as
 * an edited line would be: by what is made again for each time.
 */
#include "compare/moved.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool *moved_settled_lines(const struct judgement *judgement, const struct match *match)
{
    bool *settled = memory_zeroed(match->now->line_count + 1, sizeof(*settled));
    for (size_t i = 0; i < judgement->item_count; i++) {
        enum judged how = judgement->items[i].how;
        if (how == JUDGED_MOVED || how == JUDGED_ALLOWED || how == JUDGED_SUPPRESSED)
            settled[judgement->items[i].finding->line] = true;
    }
    return settled;
}

void moved_tell(struct judgement *judgement, struct judged_item *item, char *what)
{
    judgement->counts[item->how]--;
    judgement->counts[JUDGED_MOVED]++;
    item->how = JUDGED_MOVED;
    item->what = intern_string(what);
    free(what);
}

const char *moved_as_much(bool other_length)
{
    return other_length ? "as much for each time or more, in a run of another length," : "as many bytes";
}

void moved_drop(struct judgement *judgement, size_t index)
{
    judgement->counts[judgement->items[index].how]--;
    memmove(&judgement->items[index], &judgement->items[index + 1],
            (judgement->item_count - index - 1) * sizeof(*judgement->items));
    judgement->item_count--;
}

void judge_moved(struct judgement *judgement, const struct match *match, double increase_percent)
{
    moved_edited_together(judgement, match);
    moved_split(judgement, match, increase_percent);
    moved_joined(judgement, match);
    moved_edited_together(judgement, match); /* but for what came from elsewhere by now */
    moved_conserved(judgement, match);
}
