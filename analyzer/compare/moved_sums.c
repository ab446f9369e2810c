/*
 * Lines joined, parted or rewritten together, and a part of one that went into a function of its own: where the sums of what was edited
 * are as before, nothing is more, whichever line makes which part of it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/hunk.h"
#include "compare/length.h"
#include "compare/moved.h"

/* Takes out what is gone of rows that stood where others of the kind make as much. */
static void drop_gone(struct judgement *judgement, const struct hunk *hunk, const char *kind)
{
    for (size_t i = judgement->item_count; i-- > 0;) {
        const struct judged_item *item = &judgement->items[i];
        if (item->how == JUDGED_GONE && strcmp(item->kind, kind) == 0 && hunk_had(hunk, item->line))
            moved_drop(judgement, i);
    }
}

static bool is_of_alike(const struct match *match, const struct judged_item *item, const bool *settled,
                        struct hunk *hunk, bool *other_length)
{
    if ((item->how != JUDGED_NEW && item->how != JUDGED_INCREASED) || item->finding == NULL ||
        !kind_is_exact(item->kind) || !hunk_at(match, item->line->file, item->line->number, hunk))
        return false;
    struct hunk_repeated repeated = hunk_repeated(match, hunk, item->kind, settled);
    *other_length = lengths_differ(repeated.length, 1);
    return hunk_is_alike(&repeated);
}

/* Among rows that were edited together: several to one, one to several, or several to others. */
void moved_edited_together(struct judgement *judgement, const struct match *match)
{
    bool *settled = moved_settled_lines(judgement, match);
    struct hunk hunk;
    bool other_length;
    for (size_t i = 0; i < judgement->item_count; i++) {
        struct judged_item *item = &judgement->items[i];
        if (!is_of_alike(match, item, settled, &hunk, &other_length))
            continue;
        const char *kind = item->kind;
        moved_tell(judgement, item,
                   memory_print("Moved: what stood here in the baseline, from %s:%d to %d, made %s again.",
                                match->base->files[hunk.base_file].path, hunk.base_above + 1, hunk.base_below - 1,
                                moved_as_much(other_length)));
        drop_gone(judgement, &hunk, kind);
        i = (size_t)-1; /* items have shifted: those that are moved by now are passed over */
    }
    free(settled);
}

static bool is_added(const struct match *match, const struct judged_item *item)
{
    return (item->how == JUDGED_NEW || item->how == JUDGED_INCREASED) && item->finding != NULL &&
           kind_is_exact(item->kind) && !match_is_unedited(match, item->line);
}

static void tell_conserved(struct judgement *judgement, const struct match *match, const char *kind, const bool *kept)
{
    for (size_t i = judgement->item_count; i-- > 0;) {
        struct judged_item *item = &judgement->items[i];
        if (strcmp(item->kind, kind) != 0)
            continue;
        if (item->how == JUDGED_GONE && !kept[item->line - match->base->lines])
            moved_drop(judgement, i);
        else if (is_added(match, item))
            moved_tell(
                judgement, item,
                memory_print("Moved: the lines that are edited now made as many bytes again in the baseline, in all."));
    }
}

/*
 * A part of a line that went into a function of its own, and the reverse: the line is not gone, but in all nothing is more. Runs of other
 * lengths have other sums, and none is allowed for: too much could hide in the part by which all may differ.
 */
void moved_conserved(struct judgement *judgement, const struct match *match)
{
    const char *asked = "";
    bool *kept = NULL;
    for (size_t i = 0; i < judgement->item_count; i++) {
        const char *kind = judgement->items[i].kind;
        if (!is_added(match, &judgement->items[i]) || strcmp(kind, asked) == 0)
            continue;
        kept = kept != NULL ? kept : match_kept_lines(match);
        asked = kind;
        struct hunk_repeated repeated = hunk_repeated_anywhere(match, kind, kept);
        if (fabs(repeated.now.bytes - repeated.base.bytes) <= MOVED_ALIKE * repeated.base.bytes) {
            tell_conserved(judgement, match, kind, kept);
            i = (size_t)-1; /* items have shifted: those that are moved by now are passed over */
        }
    }
    free(kept);
}
