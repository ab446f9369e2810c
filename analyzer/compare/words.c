#include "compare/words.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/before.h"
#include "findings/finding.h"
#include "show/page.h"

static const char *known_words(const struct match *match, const struct profile_finding *finding,
                               const struct profile_line *before)
{
    if (before != NULL)
        return "In the baseline this line repeated nothing.";
    return match->known[finding->line] ? "In the baseline this line made no objects."
                                       : "The baseline has no such line.";
}

char *words_sum(const struct repeated *repeated)
{
    char *bytes = page_bytes((uint64_t)repeated->bytes), *objects = page_count((uint64_t)(repeated->objects + 0.5));
    char *text = memory_print("%s%s in %s objects", repeated->about ? "About " : "", bytes, objects);
    free(bytes);
    free(objects);
    return text;
}

/* What a call elsewhere had just made is what the claim counts: of the sum, the rest. Fresh memory. */
static char *say_own(const struct profile_finding *finding, const struct repeated *now)
{
    if (strcmp(finding->category, FINDING_REPEATED_CALL) != 0 || now->own < 1)
        return memory_print("%s", "");
    char *own = page_count((uint64_t)(now->own + 0.5));
    char *text = memory_print(", %s of them equal to an earlier one of this line itself", own);
    free(own);
    return text;
}

char *words_new(const struct match *match, const struct profile_finding *finding, const struct profile_line *before,
                const struct repeated *now)
{
    char *sum = words_sum(now), *own = say_own(finding, now);
    char *text = memory_print("%s made again%s.%s%s", sum, own, match != NULL ? " " : "",
                              match != NULL ? known_words(match, finding, before) : "");
    free(sum);
    free(own);
    return text;
}

char *words_untold(const struct repeated *now, const struct repeated *there)
{
    char *sum = words_sum(now);
    if (there->untold != NULL) {
        char *text = memory_print("%s made again. %s", sum, there->untold);
        free(sum);
        return text;
    }
    char *unseen = page_count(there->unseen);
    char *text =
        memory_print("%s made again. In the baseline this line made %s objects at which nobody looked: whether "
                     "they repeated cannot be told.",
                     sum, unseen);
    free(sum);
    free(unseen);
    return text;
}

char *words_grown(const struct repeated *now, const struct repeated *there)
{
    char *sum = words_sum(now), *before = words_sum(there);
    char *text =
        memory_print("%s made again, %s in the baseline, where the line was another; lines that are not edited "
                     "make as many objects as there.",
                     sum, before);
    free(sum);
    free(before);
    return text;
}

char *words_called(const struct match *match, const struct repeated *now, const struct new_caller *caller)
{
    const struct profile_row *row = caller->row;
    bool is_new = match_place(match, row->file, row->number).line <= 0;
    char *sum = words_sum(now), *anew = page_count((uint64_t)(caller->again + 0.5));
    char *births = page_count((uint64_t)(caller->all_again + 0.5));
    char *text = memory_print("%s made again, for each birth as much as in the baseline; but %s of %s births are for "
                              "rows that %s, such as %s:%d.",
                              sum, anew, births, is_new ? "are new" : "did not call for it there",
                              match->now->files[row->file].path, row->number);
    free(sum);
    free(anew);
    free(births);
    return text;
}

char *words_change(const struct repeated *now, const struct repeated *there)
{
    struct repeated firm = before_firm(there), *before = &firm;
    double now_bytes = now->bytes / (double)now->births, before_bytes = before->bytes / (double)before->births;
    char *a = page_bytes((uint64_t)now_bytes), *b = page_bytes((uint64_t)before_bytes), *text;
    double percent = 100 * (now_bytes / before_bytes - 1);
    bool longer = lengths_differ((double)now->births, (double)before->births);
    char *births = page_count(now->births), *births_before = page_count(before->births);
    text = memory_print("%s made again for each birth, %s in the baseline (%+.0f %%)%s%s%s%s%s.", a, b, percent,
                        longer ? "; births differ: " : "", longer ? births : "", longer ? ", " : "",
                        longer ? births_before : "", longer ? " in the baseline" : "");
    free(a);
    free(b);
    free(births);
    free(births_before);
    return text;
}
