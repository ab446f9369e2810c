/* What the verdict's outputs say in the same words. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/verdict.h"

char *verdict_counts(const struct judgement *judgement)
{
    char *text = memory_print("%s", "");
    for (enum judged how = 0; how < JUDGED_COUNT; how++) {
        if (judgement->counts[how] == 0)
            continue;
        char *longer =
            memory_print("%s%s%zu %s", text, *text != '\0' ? ", " : "", judgement->counts[how], judged_name(how));
        free(text);
        text = longer;
    }
    if (*text != '\0')
        return text;
    free(text);
    return memory_print("no findings");
}

/* " and 2 more"; fresh memory. */
static char *more_of(size_t runs)
{
    return runs > 1 ? memory_print(" and %zu more", runs - 1) : memory_print("%s", "");
}

char *verdict_subject(const struct verdict *verdict)
{
    char *now = more_of(verdict->now_count), *base = more_of(verdict->base_count);
    const bool compared = verdict->base != NULL, restricted = verdict->now->phase < PHASE_COUNT;
    char *text = memory_print("%s%s%s%s%s%s%s", verdict->now->name, now, compared ? " against " : "",
                              compared ? verdict->base->name : "", compared ? base : "", restricted ? ", " : "",
                              restricted ? profile_phase_words(verdict->now->phase) : "");
    free(now);
    free(base);
    return text;
}

bool verdict_tells(const struct verdict *verdict, const struct judged_item *item)
{
    if (item->how == JUDGED_SUPPRESSED)
        return verdict->options->gate.show_suppressed;
    if (item->how == JUDGED_KNOWN || item->how == JUDGED_FOUND) /* those that a limit is about */
        return verdict->judgement->counts[JUDGED_LIMIT] > 0;
    return judged_fails(item->how) || item->how == JUDGED_GONE || item->how == JUDGED_MOVED ||
           item->how == JUDGED_UNTOLD || item->how == JUDGED_SMALL;
}

const char *verdict_phase(const struct judged_item *item)
{
    enum phase phase = item_phase(item);
    return item->profile->training && phase < PHASE_OTHER ? phase_words[phase] : NULL;
}

char *verdict_title(const struct judged_item *item)
{
    if (item->line == NULL)
        return memory_print("%s: %s", judged_name(item->how), item->kind);
    char *whole = memory_print("%s: %s at %s:%d in %s", judged_name(item->how), item->kind, item_path(item),
                               item->line->number, item->line->function);
    char *title = text_printable(whole, strlen(whole));
    free(whole);
    return title;
}

char *verdict_message(const struct judged_item *item)
{
    const struct profile_finding *finding = item->finding;
    bool claimed = finding != NULL && finding->claim != NULL && finding->claim != item->what;
    bool advised = finding != NULL && finding->advice != NULL;
    bool called = finding != NULL && finding->way != NULL && strstr(finding->way, " > ") != NULL;
    const char *phase = verdict_phase(item);
    char *whole =
        memory_print("%s%s%s%s%s%s%s%s%s%s%s", claimed ? finding->claim : "", claimed && *item->what != '\0' ? " " : "",
                     item->what, advised ? " " : "", advised ? finding->advice : "", called ? " The way there: " : "",
                     called ? finding->way : "", called ? "." : "", phase != NULL ? " Phase: " : "",
                     phase != NULL ? phase : "", phase != NULL ? "." : "");
    char *message = text_printable(whole, strlen(whole));
    free(whole);
    return message;
}
